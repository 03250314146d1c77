/**
 * Measures the machine during a run: 100 bytes to a Node process and back, over a WebSocket on loopback. No code of the product is
 * involved, so a slow echo means that the run's figures are unreliable.
 */
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { roundTrip } from './floor.ts'
import { median, timeEach } from './sample.ts'

const message = 'x'.repeat(100)

/** The median in milliseconds. The other side is a separate process, like a server. */
export async function measureEcho(rounds = 5000, warmUps = 2000): Promise<number> {
  const server = fork(fileURLToPath(import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  try {
    const [port] = (await once(server, 'message')) as [number]
    const socket = new WebSocket(`ws://127.0.0.1:${port}`)
    await once(socket, 'open')
    const samples = await timeEach(rounds, () => roundTrip(socket, message), warmUps)
    socket.close()
    return median(samples)
  } finally {
    server.kill()
  }
}

/** The part of the protocol that one message of less than 126 bytes at a time needs. */
function echo({ headers }: IncomingMessage, socket: Socket) {
  const accepted = createHash('sha1').update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  socket.setNoDelay(true)
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`)
  socket.on('error', () => socket.destroy())
  socket.on('data', (frame) => socket.write(unmasked(frame)))
}

/** A client masks its frames, a server does not: two bytes of header, four of mask, then the text. */
function unmasked(frame: Buffer): Buffer {
  const length = frame.readUInt8(1) & 0x7f
  const answer = Buffer.alloc(2 + length)
  answer.writeUInt8(frame.readUInt8(0), 0)
  answer.writeUInt8(length, 1)
  for (let at = 0; at < length; at++) answer.writeUInt8(frame.readUInt8(6 + at) ^ frame.readUInt8(2 + (at % 4)), 2 + at)
  return answer
}

if (import.meta.main) {
  const server = createServer().on('upgrade', echo)
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.once('disconnect', () => process.exit())
}
