// What of an answer is drawn as growing: what says so, wherever it stands. One that is gone on with thinks again above words that follow.
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, expect, test } from 'vitest'
import { AnswerParts } from '../../../../web/features/thread/answer-parts.tsx'
import { preloadMarkdown } from '../../../../web/ui/markdown/markdown.tsx'
import type { MessagePart } from '../../../../worker/contract/messages.ts'

beforeEach(() => preloadMarkdown())

const drawn = (parts: readonly MessagePart[], isGrowing = true) =>
  renderToStaticMarkup(<AnswerParts messageId="answer" parts={parts} isGrowing={isGrowing} />)

test('a thought that is still being thought says so, though words stand below it', () => {
  const thought = (state: 'streaming' | 'done'): MessagePart => ({ type: 'reasoning', text: 'Hm', state })
  const words: MessagePart = { type: 'text', text: 'Half an answer', state: 'done' }
  expect(drawn([thought('streaming'), words])).toContain('Thinking…')
  expect(drawn([thought('done'), words])).not.toContain('Thinking…')
  expect(drawn([thought('streaming'), words], false)).not.toContain('Thinking…')
})
