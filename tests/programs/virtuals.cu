// Classes on the device: virtual functions (divergent), abstract bases, multiple inheritance,
// constructors and destructors.
#include "check.h"

enum { N = 96 };

struct Shape {
    int id;
    __device__ explicit Shape(int id) : id(id) {}
    __device__ virtual float area() const = 0;
    __device__ virtual int sides() const { return 0; }
    __device__ virtual ~Shape() {}
};
struct Tagged {
    int tag = 7;
    __device__ virtual int label() const { return tag; }
};
struct Square : Shape {
    float side;
    __device__ Square(int id, float side) : Shape(id), side(side) {}
    __device__ float area() const override { return side * side; }
    __device__ int sides() const override { return 4; }
};
struct Circle : Shape, Tagged {
    float radius;
    __device__ Circle(int id, float radius) : Shape(id), radius(radius) { tag = id; }
    __device__ float area() const override { return 3 * radius * radius; }
    __device__ int label() const override { return tag * 2; }
};
__device__ int destroyed;
struct Triangle : Square {
    using Square::Square;
    __device__ float area() const override { return Square::area() / 2; }
    __device__ int sides() const override { return Square::sides() - 1; }
    __device__ ~Triangle() override { atomicAdd(&destroyed, 1); }
};

__global__ void create(Shape **shapes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 3 == 0)
        shapes[i] = new Square(i, (float)i);
    else if (i % 3 == 1)
        shapes[i] = new Circle(i, (float)i);
    else
        shapes[i] = new Triangle(i, (float)i);
}
__global__ void measure(Shape *const *shapes, float *areas, int *sides) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Shape *shape = shapes[N - 1 - i];
    areas[i] = shape->area() + shape->id;
    sides[i] = shape->sides();
    if (shape->id % 3 == 1) {
        const Tagged *tagged =
            static_cast<const Circle *>(shape); // another base: the pointer moves
        sides[i] += tagged->label() * 10;
    }
}
__global__ void destroy(Shape **shapes) {
    delete shapes[blockIdx.x * blockDim.x + threadIdx.x];
}

int main() {
    Shape **shapes;
    CHECK(cudaMalloc(&shapes, N * sizeof *shapes));
    float *areas = poisoned<float>(N);
    int *sides = poisoned<int>(N);
    create<<<3, N / 3>>>(shapes);
    measure<<<2, N / 2>>>(shapes, areas, sides);
    destroy<<<1, N>>>(shapes);
    FINISH_KERNEL();
    std::vector<float> got_areas = to_host(areas, N);
    std::vector<int> got_sides = to_host(sides, N);
    for (int i = 0; i < N; i++) {
        int id = N - 1 - i, kind = id % 3;
        float square = (float)id * id;
        same("area", i, got_areas[i],
             (kind == 0   ? square
              : kind == 1 ? 3 * square
                          : square / 2) +
                 id);
        same("sides", i, got_sides[i], kind == 0 ? 4 : kind == 1 ? id * 20 : 3);
    }
    int count;
    CHECK(cudaMemcpyFromSymbol(&count, destroyed, sizeof count));
    same("destroyed", 0, count, N / 3);
    CHECK(cudaFree(shapes));
    return finish();
}
