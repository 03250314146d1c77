// Free loopback ports for servers that a test starts later, or starts again.
import { assertPortIsFree } from '../../scripts/lib/port.ts'

/**
 * Below the kernel's range of ephemeral ports: another process could take one of those before the server listens or while it restarts.
 * Above every port that browsers block.
 */
const first = 11_000
const count = 21_000

export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count)
    if (await isFree(port)) return port
  }
}

export const isFree = (port: number): Promise<boolean> =>
  assertPortIsFree(port).then(
    () => true,
    () => false,
  )
