/*
 * place.h: places in a lab's source file, as far as the file is there to be read.
 */
#ifndef HARNESS_PLACE_H
#define HARNESS_PLACE_H

#include <fstream>
#include <string>

/* The text without comments, string literals emptied. */
static inline std::string withoutComments(const std::string &text) {
    std::string code;
    for (size_t i = 0; i < text.size(); i++) {
        const char *end = text.compare(i, 2, "//") == 0 ? "\n" : text.compare(i, 2, "/*") == 0 ? "*/" : NULL;
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

/* The lines between BEGIN SOLUTION and END SOLUTION around this line; "" where there are no such marks. */
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

/* Where the student's region of this name begins: the line below its mark; 0 if there is none. */
static inline int regionLine(const char *path, const std::string &name) {
    std::ifstream source(path);
    std::string text;
    for (int number = 1; std::getline(source, text); number++) {
        const size_t mark = text.find("// BEGIN SOLUTION " + name);
        if (mark != std::string::npos && text.find_last_not_of(" \r") + 1 == mark + 18 + name.size()) return number + 1;
    }
    return 0;
}

/* Does the region of the TODO at this line hold code beside it? */
static inline bool hasCodeBesideTodo(const char *path, int line) {
    std::string code = withoutComments(regionAround(path, line));
    const size_t begin = code.find("TODO("), end = code.find(')', begin);
    if (begin == std::string::npos || end == std::string::npos) return false;
    code.erase(begin, end - begin + 1);
    return code.find_first_not_of(" \t\r\n;") != std::string::npos;
}

#endif
