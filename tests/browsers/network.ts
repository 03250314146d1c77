/** A network cable between a browser and the product: a TCP proxy that can be cut. Works the same in every engine. */
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../support/ports.ts'

export type Network = { readonly url: string; cut(): Promise<void>; mend(): Promise<void> }

export async function openNetwork(productPort: number): Promise<Network> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(productPort, '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
  })
  const mend = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  await mend()
  return {
    url: `http://localhost:${port}`,
    mend,
    cut: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      return closed
    },
  }
}
