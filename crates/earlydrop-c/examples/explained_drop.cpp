// Offers packets to CoDel at twice the link's rate, and prints why the first one is dropped. The queue
// owns its frames.
//
//     c++ -std=c++17 explained_drop.cpp $(pkg-config --cflags --libs earlydrop) -o explained_drop
#include <earlydrop.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

struct Frame {
    std::uint64_t flow;
    std::string bytes;
};

// A queue that owns the frames that wait, and frees those that it drops.
class Queue {
public:
    Queue(const char *spec, std::uint64_t link_bps) {
        earlydrop_config config{};
        config.spec = spec;
        config.link_bps = link_bps;
        config.seed = 1;
        config.on_drop = [](void *context, std::uint64_t handle, earlydrop_verdict) {
            take(handle);
            ++static_cast<Queue *>(context)->dropped;
        };
        config.context = this;
        std::array<char, 500> error{};
        queue = earlydrop_create(&config, error.data(), error.size());
        if (queue == nullptr) throw std::invalid_argument(error.data());
    }
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;
    ~Queue() {
        while (dequeue(0)) {
        }
        earlydrop_destroy(queue);
    }

    earlydrop_verdict enqueue(std::unique_ptr<Frame> frame, std::uint64_t now) {
        earlydrop_packet packet{};
        packet.flow = frame->flow;
        packet.size = static_cast<std::uint32_t>(frame->bytes.size());
        packet.handle = reinterpret_cast<std::uintptr_t>(frame.release());
        return earlydrop_enqueue(queue, &packet, now);
    }

    std::unique_ptr<Frame> dequeue(std::uint64_t now) {
        earlydrop_sent sent{};
        return earlydrop_dequeue(queue, now, &sent) ? take(sent.handle) : nullptr;
    }

    // Why the next dequeue drops or keeps what it takes.
    std::string explain_dequeue(std::uint64_t now) const {
        std::string text(earlydrop_explain_dequeue(queue, now, nullptr, 0) + 1, '\0');
        earlydrop_explain_dequeue(queue, now, text.data(), text.size());
        text.pop_back();
        return text;
    }

    unsigned dropped = 0;

private:
    static std::unique_ptr<Frame> take(std::uint64_t handle) {
        return std::unique_ptr<Frame>(reinterpret_cast<Frame *>(static_cast<std::uintptr_t>(handle)));
    }

    earlydrop_queue *queue = nullptr;
};

int main() try {
    Queue queue("codel:target=5 ms,interval=100 ms", 8'000'000);
    for (std::uint64_t now = 0; queue.dropped == 0; now += 1'000'000) {
        for (std::uint64_t flow : {1, 2}) {
            queue.enqueue(std::make_unique<Frame>(Frame{flow, std::string(1000, 'x')}), now);
        }
        const std::string why = queue.explain_dequeue(now);
        queue.dequeue(now);
        if (queue.dropped > 0) std::cout << "at " << now / 1'000'000 << " ms:\n" << why << '\n';
    }
    try {
        Queue wrong("codle", 8'000'000);
    } catch (const std::invalid_argument &error) {
        std::cout << error.what() << '\n';
    }
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
