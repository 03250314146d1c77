// The sentence about the model that answered in place of another.
import { expect, test } from 'vitest'
import { fallbackNote } from '../../../../../web/features/chat/message/ending-note.tsx'
import type { AnswerMetadata } from '../../../../../worker/contract/threads/messages.ts'

const answer: AnswerMetadata = { modelId: 'opus', modelName: 'Claude Opus 5', modelIcon: 'anthropic', ending: 'completed', credits: 8 }

test.each<[answeredBy: readonly string[] | undefined, note: string | null]>([
  [undefined, null],
  [['Claude Opus 4.8'], 'Answered by Claude Opus 4.8, because Claude Opus 5 did not respond.'],
  [['Claude Opus 5', 'Claude Opus 4.8'], 'Answered by Claude Opus 5 and Claude Opus 4.8, because Claude Opus 5 did not always respond.'],
])('of an answer by %j', (answeredBy, note) => expect(fallbackNote({ ...answer, ...(answeredBy && { answeredBy }) })).toBe(note))
