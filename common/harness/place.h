/* place.h: finds places in a lab's source file, if the file can be read. */
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "lab.h"

/* The file's text; "": it cannot be read. */
static inline std::string textOf(const char *path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

/* The name of a version of a source: its checksum and its length, as POSIX's cksum prints them. */
static inline std::string versionOf(const std::string &text) {
    std::string summed = text;
    for (size_t length = text.size(); length > 0; length >>= 8) summed += (char)length;
    uint32_t sum = 0;
    for (unsigned char byte : summed) {
        sum ^= (uint32_t)byte << 24;
        for (int bit = 0; bit < 8; bit++) sum = sum << 1 ^ (sum >> 31 ? 0x04C11DB7u : 0);
    }
    return "version_" + std::to_string(~sum) + "_" + std::to_string(text.size()) + "_";
}

/* Returns the text without comments, and with empty string literals. */
static inline std::string withoutComments(const std::string &text) {
    std::string code;
    for (size_t i = 0; i < text.size(); i++) {
        const char *end = text.compare(i, 2, "//") == 0   ? "\n"
                          : text.compare(i, 2, "/*") == 0 ? "*/"
                                                          : NULL;
        if (end != NULL) {
            i = text.find(end, i + 2);
            if (i == std::string::npos) break;
            if (end[1] != '\0') i++;
        } else if (text[i] == '"') {
            for (i++; i < text.size() && text[i] != '"'; i++) i += text[i] == '\\';
            code += "\"\"";
        } else {
            code += text[i];
        }
    }
    return code;
}

/* Returns the lines between the marks BEGIN SOLUTION and END SOLUTION around this line;
 * "": no marks. */
static inline std::string regionAround(const char *path, int line) {
    std::ifstream source(path);
    std::string text, region;
    bool inside = false;
    for (int number = 1; std::getline(source, text); number++) {
        if (text.find("// END SOLUTION") != std::string::npos) {
            if (inside && number > line) return region;
            inside = false;
        }
        if (inside) region += text + "\n";
        if (text.find("// BEGIN SOLUTION") != std::string::npos) {
            if (number > line) return "";
            inside = true;
            region = "";
        }
    }
    return "";
}

/* Returns the first line of the student's region of this name, below its mark; 0: none. */
static inline int regionLine(const char *path, const std::string &name) {
    std::ifstream source(path);
    std::string text;
    for (int number = 1; std::getline(source, text); number++) {
        const size_t mark = text.find("// BEGIN SOLUTION " + name);
        if (mark != std::string::npos &&
            text.find_last_not_of(" \r") + 1 == mark + 18 + name.size())
            return number + 1;
    }
    return 0;
}

/* The TODO that stands in the region of this name, as its note says it; line 0: none. */
static inline TodoNote todoIn(const char *path, const std::string &name) {
    const int begin = regionLine(path, name);
    std::ifstream source(path);
    std::string line, code;
    TodoNote note = {0, "", ""};
    for (int number = 1; begin > 0 && std::getline(source, line); number++) {
        if (number < begin) continue;
        if (line.find("// END SOLUTION") != std::string::npos ||
            code.find(");") != std::string::npos)
            break;
        const size_t text = line.find_first_not_of(' ');
        if (note.line == 0 && text != std::string::npos && line.compare(text, 5, "TODO(") == 0)
            note.line = number;
        if (note.line != 0) code += line;
    }
    std::istringstream pieces(code); /* outside and inside of quotes by turns */
    std::string goal, handout, outside;
    while (std::getline(pieces, outside, '"') && std::getline(pieces, line, '"')) {
        goal += handout;
        handout = line;
    }
    snprintf(note.goal, sizeof note.goal, "%s", goal.c_str());
    snprintf(note.handout, sizeof note.handout, "%s", handout.c_str());
    return note;
}

/* Does the region around this line hold code beside its TODO? */
static inline bool hasCodeBesideTodo(const char *path, int line) {
    std::string code = withoutComments(regionAround(path, line));
    const size_t begin = code.find("TODO("), end = code.find(')', begin);
    if (begin == std::string::npos || end == std::string::npos) return false;
    code.erase(begin, end - begin + 1);
    return code.find_first_not_of(" \t\r\n;") != std::string::npos;
}
