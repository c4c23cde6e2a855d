#!/bin/sh
# own-program.sh FILE: what keeps `make run FILE=...` from compiling the file, in one line; nothing where all is well.
file=$1
if [ -z "$file" ]; then
    echo "give the program: make run FILE=own.cu"
elif [ -d "$file" ]; then
    echo "FILE=$file: this is a folder; name the .cu file in it"
elif [ ! -e "$file" ] && [ -e "$file.cu" ]; then
    echo "FILE=$file: there is no such file; there is $file.cu"
elif [ ! -e "$file" ]; then
    echo "FILE=$file: there is no such file (looked in $PWD)"
elif [ "${file%.cu}" = "$file" ]; then
    echo "FILE=$file: its name must end in .cu, by which the compiler knows a CUDA program"
elif [ ! -r "$file" ]; then
    echo "FILE=$file: cannot be read; allow it: chmod u+r"
fi
