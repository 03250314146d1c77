// The announcement of an answer that has just ended, for screen readers.
import { expect, test } from 'vitest'
import { announcementOf } from '../../../../../web/features/chat/thread/finished-answer.tsx'
import type { AnswerMetadata, MessagePart } from '../../../../../worker/contract/threads/messages.ts'
import { metadata } from '../build.ts'

const text = (value: string): MessagePart => ({ type: 'text', text: value })
const picture: MessagePart = { type: 'file', mediaType: 'image/png', url: '/api/files/a-picture-that-is-stored', sizeBytes: 7 }
const news = (parts: readonly MessagePart[], changes: Partial<AnswerMetadata> = {}) =>
  announcementOf({ id: 'answer', role: 'assistant', parts, metadata: metadata(changes) })

test('a completed answer is announced with its start', () => {
  expect(news([text('Tea.')])).toBe('Answer finished. Tea.')
  expect(news([text('x'.repeat(601))])).toBe(`Answer finished. ${'x'.repeat(600)}…`)
})

test('Markdown is not read out', () => {
  expect(news([text('## Tea\n\n**Green** and `oolong`.')])).toBe('Answer finished. Tea\n\nGreen and oolong.')
})

test('an incomplete one starts with the reason shown below it', () => {
  const failure = { code: 'model_busy' } as const
  expect(news([text('Half')], { ending: 'stopped' })).toBe('You stopped this answer. Half')
  expect(news([text('Half')], { ending: 'interrupted' })).toBe('The answer was interrupted. Half')
  expect(news([], { ending: 'failed', failure })).toBe(
    'Kimi K2 is too busy right now. Wait a moment and try again, or choose another model.',
  )
})

test('generated files are named, also without text', () => {
  expect(news([picture])).toBe('Answer finished. Created files: Picture 1.png.')
  expect(news([text('Two.'), picture, picture])).toBe('Answer finished. Created files: Picture 1.png and Picture 2.png. Two.')
})
