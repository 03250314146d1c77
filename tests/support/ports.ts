// Free loopback ports for servers that a test starts. The kernel picks one that nobody listens on.
import { createServer } from 'node:net'

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a numeric port')
  await new Promise((resolve) => server.close(resolve))
  return address.port
}
