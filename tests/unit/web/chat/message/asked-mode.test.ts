// The mode of an edited message.
import { expect, test } from 'vitest'
import { requestedMode } from '../../../../../web/features/chat/message/use-message-actions.ts'
import type { TurnMode } from '../../../../../worker/contract/models/modes.ts'
import { answer, metadata, question, thread } from '../build.ts'

const answerIn = (mode: TurnMode | undefined, id: string, parentId: string) => ({
  ...answer(id, parentId),
  message: { id, role: 'assistant' as const, parts: [], metadata: metadata(mode && { mode }) },
})

test('equals the mode of the shown answer; unknown without an answer', () => {
  const rows = [question('q1'), answerIn('search', 'a1', 'q1'), answerIn(undefined, 'a2', 'q1'), question('q2', 'a1')]
  expect(requestedMode(thread(rows), 'q1')).toBe('search')
  expect(requestedMode(thread(rows, { headId: 'a2' }), 'q1')).toBe('chat')
  expect(requestedMode(thread(rows), 'q2')).toBeUndefined()
  expect(requestedMode(undefined, 'q1')).toBeUndefined()
})
