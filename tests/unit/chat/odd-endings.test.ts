// The requests after answers that ended in any way: with a call that was stopped, denied, expired, failed or never decided, with nothing but calls,
// or with no text. Providers refuse a call without its result, an empty message, two messages of one role, and an end with the assistant, for each
// later message of the thread (danny-avila/LibreChat#6514, charmbracelet/crush#862, tidyverse/ellmer#459, livekit/agents#5092).
import { expect, test } from 'vitest'
import { modelMessages } from '../../../worker/chat/model/prompt.ts'
import type { ChatMessage, MessagePart } from '../../../worker/contract/threads/messages.ts'
import { createRng, type Rng } from '../../support/rng.ts'

const approval = (approved?: boolean) => ({ id: 'approval', ...(approved === undefined ? {} : { approved }) })

const callStates: readonly object[] = [
  { state: 'input-streaming' },
  { state: 'input-streaming', input: '{"to": "A' },
  { state: 'input-available', input: {} },
  { state: 'approval-requested', input: { to: 'Ada' }, approval: approval() },
  { state: 'approval-responded', input: { to: 'Ada' }, approval: approval(true) },
  { state: 'output-denied', input: { to: 'Ada' }, approval: { ...approval(false), reason: 'No \ud83d' } },
  { state: 'output-error', input: null, errorText: 'The server said no.' },
  { state: 'output-available', input: { to: '\ud83d' }, output: { content: [] } },
  { state: 'output-available', input: { to: 'Ada' }, output: { content: [{ type: 'text', text: 'done \ude00' }] } },
  { state: 'output-available', input: { to: 'Ada' } },
]

const partOf = (rng: Rng, at: number): MessagePart => {
  const call = () => ({
    ...{ type: rng.pick(['tool-send_mail', 'tool-search', 'tool-read_page']), toolCallId: `call-${at}` },
    ...(rng.chance(0.5) ? { source: { id: 'mail', name: 'Mail \u202e' }, title: '' } : {}),
    ...rng.pick(callStates),
  })
  const other = () =>
    rng.pick<object>([
      { type: 'text', text: '' },
      { type: 'text', text: ' \n' },
      { type: 'text', text: 'Half a \ud83d' },
      { type: 'text', text: 'Done.', state: 'streaming' },
      { type: 'reasoning', text: 'Hm.' },
      { type: 'step-start' },
      { type: 'file', mediaType: 'image/png', url: '/api/files/x' },
    ])
  return (rng.chance(0.6) ? call() : other()) as unknown as MessagePart
}
const partsOf = (rng: Rng): MessagePart[] => Array.from({ length: rng.below(5) }, (_, at) => partOf(rng, at))

test('each request is one that providers accept', () => {
  const rng = createRng(3)
  for (let run = 0; run < 500; run++) {
    const history = Array.from({ length: 1 + rng.below(4) }, (_, turn) => [
      { id: `q${turn}`, role: 'user', parts: [{ type: 'text', text: `Question ${turn}` }] },
      ...(rng.chance(0.9) ? [{ id: `a${turn}`, role: 'assistant', parts: partsOf(rng), metadata: { modelId: 'm' } }] : []),
    ]).flat() as unknown as ChatMessage[]
    const question = { id: 'last', role: 'user', parts: [{ type: 'text', text: 'And now?' }] } as unknown as ChatMessage
    const messages = modelMessages([...history, question], rng.chance(0.3) ? partsOf(rng) : [])
    const roles = messages.map(({ role }) => role)
    expect(roles).toEqual(roles.map((_, at) => (at % 2 === 0 ? 'user' : 'assistant')))
    expect(roles.at(-1)).toBe('user')
    for (const { content } of messages) {
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      expect(parts.length).toBeGreaterThan(0)
      for (const part of parts) {
        expect(part.type).toBe('text')
        expect('text' in part && part.text.trim()).not.toBe('')
        expect('text' in part && part.text.isWellFormed()).toBe(true)
      }
    }
  }
})
