// The growing parts of an answer, at any position. A continued answer may add reasoning above existing text.
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, expect, test } from 'vitest'
import { AnswerParts } from '../../../../../web/features/chat/message/answer-parts.tsx'
import { preloadMarkdown } from '../../../../../web/ui/markdown/renderer.ts'
import type { MessagePart } from '../../../../../worker/contract/threads/messages.ts'

beforeEach(() => preloadMarkdown())

const drawn = (parts: readonly MessagePart[], isGrowing = true) =>
  renderToStaticMarkup(<AnswerParts messageId="answer" parts={parts} isGrowing={isGrowing} />)

test('reasoning that is still streaming is shown as such, even with text below it', () => {
  const thought = (state: 'streaming' | 'done'): MessagePart => ({ type: 'reasoning', text: 'Hm', state })
  const words: MessagePart = { type: 'text', text: 'Half an answer', state: 'done' }
  expect(drawn([thought('streaming'), words])).toContain('Thinking…')
  expect(drawn([thought('done'), words])).not.toContain('Thinking…')
  expect(drawn([thought('streaming'), words], false)).not.toContain('Thinking…')
})
