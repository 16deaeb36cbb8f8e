// The socket to the server: JSON both ways, and rows of numbers as bytes.

const decoder = new TextDecoder();

/** The head and the numbers of a message of bytes. */
export function unpacked(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const head = JSON.parse(decoder.decode(new Uint8Array(buffer, 8, length)));
  return { head, at: 8 + length };
}

export class Socket {
  constructor(answered, opened, closed) {
    const base = location.href.replace(/^http/, 'ws').replace(/[?#].*$/, '');
    this.socket = new WebSocket(base + 'socket');
    this.socket.binaryType = 'arraybuffer';
    this.waiting = new Map();
    this.next = 1;
    this.socket.onopen = opened;
    this.socket.onclose = closed;
    this.socket.onmessage = ({ data }) => {
      if (typeof data !== 'string') {
        const { head, at } = unpacked(data);
        answered(head, data, at);
        return;
      }
      const message = JSON.parse(data);
      const asked = message.id === undefined ? undefined : this.waiting.get(message.id);
      if (asked) {
        this.waiting.delete(message.id);
        asked(message);
      } else {
        answered(message);
      }
    };
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Sends a question, and promises its answer. */
  ask(message) {
    const id = this.next++;
    this.send({ ...message, id });
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }
}
