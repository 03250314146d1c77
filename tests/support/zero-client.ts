/** The real, unmodified Zero client as the page uses it, in Node and without storage. */
import { Zero } from '@rocicorp/zero'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { schema } from '../../worker/contract/schema.ts'
import type { Guest } from './guest.ts'

export type RealClient = {
  readonly zero: Zero
  /** Resolves when this client shows the nickname. */
  untilNickname(nickname: string): Promise<void>
  /** Resolves when the server has confirmed it. */
  setNickname(nickname: string): Promise<void>
  close(): Promise<void>
}

let made = 0

/** A new browser on each call: a separate client group of the same user. */
export const connectZero = async (guest: Guest): Promise<RealClient> => {
  const zero = new Zero({
    cacheURL: guest.url,
    userID: guest.userId,
    auth: await guest.token(),
    schema,
    mutators,
    context: { userId: guest.userId },
    kvStore: 'mem',
    // Clients of one process with the same key would share their state.
    storageKey: `client${++made}`,
    // The client logs every refusal.
    logLevel: 'error',
    logSink: { log: () => undefined },
  })
  const me = zero.materialize(queries.me())
  await new Promise<void>((resolve) => me.addListener((_row, type) => type === 'complete' && resolve()))
  return {
    zero,
    untilNickname: (nickname) =>
      new Promise((resolve) => {
        const stop = me.addListener((row) => {
          if (row?.setting?.nickname !== nickname) return
          queueMicrotask(() => stop())
          resolve()
        })
      }),
    setNickname: async (nickname) => {
      const result = await zero.mutate(mutators.settings.update({ nickname })).server
      if (result.type === 'error') throw new Error(`refused: ${JSON.stringify(result.error)}`)
    },
    close: async () => {
      me.destroy()
      await zero.close()
    },
  }
}
