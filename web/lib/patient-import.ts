/**
 * Loads a part of the program that the page did not come with. Out of reach, it waits for the network instead of failing;
 * gone from a server that answers, it says that this page is older than the server.
 */
import { isServerReachable } from './reachable.ts'

export class OutdatedPageError extends Error {
  override readonly name = 'OutdatedPageError'
}

export type Network = {
  /** Whether the server answers at all. */
  readonly isReachable: () => Promise<boolean>
  /** Resolves when it is worth trying again. */
  readonly pause: () => Promise<void>
}

export async function importPatiently<T>(load: () => Promise<T>, network: Network = browserNetwork): Promise<T> {
  /** A server may come back between the failed attempt and the question, so one failure proves nothing. */
  let failuresWhileReachable = 0
  for (;;) {
    try {
      return await load()
    } catch (cause) {
      if (await network.isReachable()) failuresWhileReachable += 1
      if (failuresWhileReachable > 1) {
        throw new OutdatedPageError('A part of this page is no longer on the server. Reload the page to get the new version.', { cause })
      }
      await network.pause()
    }
  }
}

const pauseMs = 1500

const browserNetwork: Network = {
  isReachable: isServerReachable,
  pause: () =>
    new Promise((resolve) => {
      setTimeout(resolve, pauseMs)
      window.addEventListener('online', () => resolve(), { once: true })
    }),
}
