/** A stage where every answer ends when the test says so. */
import { afterAll, beforeEach } from 'vitest'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Peer } from '../support/peers/peer-server.ts'
import { setStage } from './stage.ts'

export function setWaitingStage() {
  let peer: Peer
  /** Every answer of a test waits for it after its text. */
  let ended = Promise.withResolvers<void>()
  let test = 0
  /**
   * The first message of each thread of this test. Later requests of a thread contain it, so it distinguishes the requests of two tests.
   */
  const firstMessage = () => `Stream until test ${test} ends the answer.`
  beforeEach(() => {
    ended = Promise.withResolvers()
    test += 1
  })
  const { newUser, openComposer, newDevice } = setStage({
    product: async () => {
      peer = await startGatewayPeer(() => ({ kind: 'answer', words: ['Hello ', 'world'], until: ended.promise }))
      // Longer than any test may take.
      return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: peer.url, MODEL_SILENCE_SECONDS: '600' } }
    },
  })
  afterAll(() => peer?.stop())
  return {
    newUser,
    openComposer,
    newDevice,
    firstMessage,
    /** Ends the answers of this test. */
    endAnswers: (): void => ended.resolve(),
    /** The requests of this test's threads, each by its last message. */
    requests: (): string[] =>
      peer.requests
        .filter(({ streaming, body }) => streaming && JSON.stringify(body.prompt).includes(firstMessage()))
        .map(({ body }) => JSON.stringify((body.prompt as readonly unknown[]).at(-1))),
  }
}
