// Free loopback ports for servers that a test starts later, or starts again.
import { assertPortIsFree } from '../../scripts/lib/port.ts'

/**
 * Below what the kernel gives to whoever asks for any port, and to the near end of connections: one of those could be anybody's by the
 * time the server listens, or while it is dead between two lives. Above every port that browsers refuse to go to.
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
