// What a message gives to the clipboard when it is more than words, or none.
import { expect, test } from 'vitest'
import { copiedText, threadMarkdown } from '../../../../web/features/thread/copied-text.ts'
import { filePart } from '../../../../worker/contract/files.ts'
import type { UserMessage } from '../../../../worker/contract/messages.ts'

const base = 'https://parley.test'
const cat = filePart({ id: 'file-of-a-cat-0001', name: 'cat.png', mediaType: 'image/png', sizeBytes: 5 })
const said = (...parts: UserMessage['parts']): UserMessage => ({ id: 'question', role: 'user', parts })

test('what a person attached is named, before what they said', () => {
  expect(copiedText(said(cat), base)).toBe('[cat.png]')
  expect(copiedText(said(cat, { type: 'text', text: 'Whose is it?' }), base)).toBe('[cat.png]\nWhose is it?')
  expect(copiedText(said({ type: 'text', text: 'Hi' }), base)).toBe('Hi')
})

test('in the whole thread too', () => {
  const turn = {
    kind: 'user',
    id: 'question',
    parentId: null,
    versions: { ids: ['question'], at: 0 },
    hasMoreBelow: false,
    message: said(cat),
  } as const
  expect(threadMarkdown('Cats', [turn], base)).toBe('# Cats\n\n**You**\n\n[cat.png]')
})
