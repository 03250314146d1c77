/** A TCP proxy in front of a local server. It counts the bytes that the server sends, and can remove the client's offer to compress. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { Guest } from './guest.ts'

export type WireMeter = {
  readonly url: string
  /** Bytes that the server has sent, without the headers of TCP and IP. */
  readonly receivedBytes: () => number
  stop(): Promise<void>
}

const compressionOffer = /^sec-websocket-extensions:[^\r\n]*\r\n/im

export async function startWireMeter(serverPort: number, { isCompressed = true } = {}): Promise<WireMeter> {
  let receivedBytes = 0
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(serverPort, '127.0.0.1')
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        client.destroy()
        server.destroy()
        sockets.delete(socket)
      })
    }
    client.once('data', (head) => {
      server.write(isCompressed ? head : Buffer.from(head.toString('latin1').replace(compressionOffer, ''), 'latin1'))
      client.pipe(server)
    })
    server.on('data', (chunk) => {
      receivedBytes += chunk.length
    })
    server.pipe(client)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy listens on no port')
  return {
    url: `http://localhost:${address.port}`,
    receivedBytes: () => receivedBytes,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}

/** The same guest, with further sockets through the meter. */
export const metered = (guest: Guest, { url }: WireMeter): Guest => ({ ...guest, url })
