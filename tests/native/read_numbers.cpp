// Prints the numbers of the standard input, one on each line, to 17 digits.
#include <cstdio>
#include <iostream>
#include <string>

#include "text.hpp"

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        const std::size_t size = line.size();
        line.append(rankstone::padding, '\n');
        double value = 0;
        if (rankstone::parse_number(line.data(), line.data() + size, value) !=
            rankstone::Number::fine)
            std::puts("not_finite");
        else
            std::printf("%.17g\n", value);
    }
}
