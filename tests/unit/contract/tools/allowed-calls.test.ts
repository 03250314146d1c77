import { expect, test } from 'vitest'
import type { ToolApproval, ToolPart } from '../../../../worker/contract/threads/messages.ts'
import { allowedTools } from '../../../../worker/contract/tools/allowed-calls.ts'

const call = (tool: string, state: ToolPart['state'], approval: Omit<ToolApproval, 'id'> = {}): ToolPart => ({
  ...{ type: `tool-${tool}`, toolCallId: tool, state, input: {}, approval: { id: tool, ...approval } },
})

test('the next turn makes the allowed calls and those whose request the user answered or declined', () => {
  const parts = [
    call('waiting', 'approval-requested'),
    call('waiting_for_input', 'approval-requested', { isInput: true }),
    call('allowed', 'approval-responded', { approved: true }),
    call('denied', 'approval-responded', { approved: false }),
    call('answered', 'approval-responded', { approved: true, isInput: true }),
    call('declined', 'approval-responded', { approved: false, isInput: true }),
    call('passed', 'output-denied', { approved: false, isInput: true }),
    call('made', 'output-available', { approved: true }),
  ]
  expect(allowedTools(parts)).toEqual(['allowed', 'answered', 'declined'])
})
