// Reports a port in use with one sentence; the servers themselves print a stack trace.
import { createServer } from 'node:net'

export async function assertPortIsFree(port: number): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, '127.0.0.1', resolve)).catch((cause: unknown) => {
    throw new Error(`port ${port} cannot be used (${(cause as NodeJS.ErrnoException).code}); choose another with PORT`, { cause })
  })
  await new Promise((resolve) => probe.close(resolve))
}
