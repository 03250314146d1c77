// A guest of a container with a thread, and the checks that both survive what the container goes through.
import { expect } from 'vitest'
import { eventStreamDecoder } from '../../worker/contract/threads/event-stream.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { startOpenAICompatiblePeer } from '../support/peers/openai-compatible.ts'
import type { Behaviour, Peer } from '../support/peers/peer-server.ts'
import { connectRaw, queries, sendArgs } from './attack-wire.ts'

/** The second word of its answers waits for `release`. */
export async function startHeldModel(): Promise<{ readonly peer: Peer; readonly release: () => void }> {
  const released = Promise.withResolvers<void>()
  const answer: Behaviour = { kind: 'answer', words: ['Streamed ', 'answer.'], until: released.promise }
  return { peer: await startOpenAICompatiblePeer(() => answer), release: released.resolve }
}

type KeptThread = { readonly guest: Guest; readonly threadId: string; readonly answerId: string }

/** Sends a message and reads the answer like a page: the first word before the model has ended. */
export async function readAnswer(url: string, release: () => void): Promise<KeptThread> {
  const guest = await newGuest(url)
  const wire = await connectRaw(guest, { queries })
  const { threadId, answerId, ...args } = sendArgs({ text: 'Hello' })
  expect(await wire.mutate('threads.send', { threadId, answerId, ...args })).toBeNull()
  const { body } = await guest.fetch(`/api/thread/${threadId}/stream?generation=${answerId}`)
  if (body === null) throw new Error('no stream')
  const decode = eventStreamDecoder()
  let text = ''
  for await (const read of body.pipeThrough(new TextDecoderStream()))
    for (const event of decode(read)) {
      if (event.type !== 'chunk' || event.chunk.type !== 'text-delta') continue
      text += event.chunk.delta
      release()
    }
  expect(text).toBe('Streamed answer.')
  await wire.until(() => wire.rows.has(`message ${answerId}`), 'the answer')
  await wire.close()
  return { guest, threadId, answerId }
}

/** The session and the thread, read by another browser of the same guest. */
export async function expectKept({ guest, answerId }: KeptThread, url = guest.url): Promise<void> {
  const wire = await connectRaw({ ...guest, url }, { queries })
  await wire.until(() => wire.rows.has(`message ${answerId}`), 'the answer of before')
  expect(JSON.stringify(wire.rows.get(`message ${answerId}`))).toContain('Streamed answer.')
  await wire.close()
}
