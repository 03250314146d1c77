import { expect, test } from 'vitest'
import { readableBy } from '../../../../../web/features/chat/composer/attach-button.tsx'

test('lists the types that the model reads, and the types that need another model', () => {
  const by = (...capabilities: ('vision' | 'documents' | 'tools')[]) => readableBy({ name: 'Kimi K2', capabilities })
  expect(by('tools')).toEqual({ read: 'text', unread: "Kimi K2 can't read images or PDFs. Choose another model to send them." })
  expect(by('vision')).toEqual({ read: 'images or text', unread: "Kimi K2 can't read PDFs. Choose another model to send them." })
  expect(by('documents')).toEqual({ read: 'PDFs or text', unread: "Kimi K2 can't read images. Choose another model to send them." })
  expect(by('vision', 'documents')).toEqual({ read: 'images, PDFs, or text', unread: null })
  // Before the model is loaded.
  expect(readableBy(undefined)).toEqual({ read: 'images, PDFs, or text', unread: null })
})
