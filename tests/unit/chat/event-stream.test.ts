import { describe, expect, test } from 'vitest'
import {
  encodeChunk,
  encodeEnd,
  eventStreamDecoder,
  keepAliveEvent,
  restartEvent,
  type StreamEvent,
  sessionEndedEvent,
} from '../../../worker/contract/threads/event-stream.ts'

const events: readonly StreamEvent[] = [
  { type: 'chunk', id: 1, chunk: { type: 'start', messageId: 'm' } },
  { type: 'chunk', id: 2, chunk: { type: 'text-delta', id: '1', delta: 'two\n\nlines, data: id: 7\r\n and "quotes" – ✓ 🎈' } },
  { type: 'chunk', id: 3, chunk: { type: 'text-delta', id: '1', delta: '' } },
  { type: 'restart' },
  { type: 'session-ended' },
  { type: 'end', ending: 'completed' },
]

const encode = (event: StreamEvent): string => {
  if (event.type === 'restart') return restartEvent
  if (event.type === 'session-ended') return sessionEndedEvent
  return event.type === 'end' ? encodeEnd(event.ending) : encodeChunk(event.id, JSON.stringify(event.chunk))
}
const wire = `${keepAliveEvent}${events.map(encode).join(keepAliveEvent)}`

describe('the event stream', () => {
  test('decodes the same events when cut at any place into three', () => {
    for (let first = 0; first <= wire.length; first += 1) {
      for (let second = first; second <= wire.length; second += 7) {
        const decode = eventStreamDecoder()
        const received = [wire.slice(0, first), wire.slice(first, second), wire.slice(second)].flatMap(decode)
        expect(received).toEqual(events)
      }
    }
  })

  test('decodes the same events when bytes are cut inside a character', () => {
    const bytes = new TextEncoder().encode(wire)
    const decode = eventStreamDecoder()
    const text = new TextDecoder()
    expect([...bytes].flatMap((byte) => decode(text.decode(Uint8Array.of(byte), { stream: true })))).toEqual(events)
  })

  test('skips unknown fields', () => {
    const decode = eventStreamDecoder()
    const strange = [
      'data: {half\n\n',
      'event: later\ndata: {"type":"x"}\n\n',
      'data: {"type":"no number"}\n\n',
      'id: 4\ndata: 5\n\n',
      'event: end\ndata: {}\n\n',
      ':\n\n',
      '\n\n',
    ]
    expect(strange.flatMap(decode)).toEqual([])
    expect(decode(encodeEnd('failed'))).toEqual([{ type: 'end', ending: 'failed' }])
  })
})
