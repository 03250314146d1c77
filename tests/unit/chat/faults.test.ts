// Every fault of a provider, through every connection of the product with its real package: the outcome and the text that remains.
import { expect, test, vi } from 'vitest'
import { runModel } from '../../../worker/chat/model/call.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { applyChunk } from '../../../worker/contract/threads/message-stream.ts'
import { type MessagePart, textOf } from '../../../worker/contract/threads/messages.ts'
import { searchTools } from '../../support/model-run.ts'
import { type Fault, type FaultName, faultNames, faultOf, faultPrompt, faultScript, isKept, wholeText } from '../../support/peers/faults.ts'
import { peersOfTest } from '../../support/peers/peers-of-test.ts'
import { connect, everyConnection } from '../../support/peers/provider-connections.ts'

const peers = peersOfTest()
// The package of Workers AI prints events that it cannot read.
vi.spyOn(console, 'warn').mockImplementation(() => {})

/** Only these faults end by silence. Other ones may be slow on a busy machine. */
const silentFaults: readonly FaultName[] = ['mute', 'stall']

/** A cut has another position with each seed. */
const seedsOf = (name: FaultName): readonly number[] => (name === 'cut' ? [3, 7, 11, 19, 42] : [7])

test.each(everyConnection)(
  '$provider: each fault has its outcome, and keeps the text before it',
  async ({ provider, start, connections }) => {
    const peer = await start(faultScript())
    peers.push(peer)
    const meet = async (name: FaultName, seed: number, { code, keeps, mode }: Fault): Promise<void> => {
      const question = faultPrompt(name, seed)
      const modelSilenceMs = silentFaults.includes(name) ? 2000 : 60_000
      const { model } = connect({ ...connections(peer.url), modelSilenceMs }, provider)
      let parts: readonly MessagePart[] = []
      const writer = new ChunkWriter((chunk) => {
        parts = applyChunk(parts, chunk)
      }, Date.now)
      const outcome = await runModel(
        { model, instructions: '', messages: [{ role: 'user', content: question }], tools: mode ? searchTools(question) : null },
        // One retry, for the fault that needs one.
        { writer, signal: new AbortController().signal, nowMs: Date.now, maxRetries: 1 },
      )
      writer.finishStep()
      const text = textOf({ parts })
      if (code === null) expect(outcome, name).toEqual({ ending: 'completed' })
      else if (code) expect(outcome, name).toMatchObject({ ending: 'failed', failure: { code } })
      else if (outcome.ending === 'completed') expect(text, name).toBe(wholeText)
      expect(isKept[keeps](text), `${name} kept ${text.slice(0, 80)}`).toBe(true)
    }
    await Promise.all(
      faultNames.map(async (name) => {
        const fault = faultOf(name, provider)
        if (fault) await Promise.all(seedsOf(name).map((seed) => meet(name, seed, fault)))
      }),
    )
  },
)
