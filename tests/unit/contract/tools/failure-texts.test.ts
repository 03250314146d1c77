// A failure of a server is stored as the text for the model; the page finds its code again.
import { expect, test } from 'vitest'
import { ServerFailure } from '../../../../worker/chat/tools/mcp/server-failure.ts'
import { failureIn } from '../../../../worker/contract/tools/failure-texts.ts'

test.each(['timeout', 'busy', 'scopes'] as const)('the text of “%s” leads to its code', (code) => {
  expect(failureIn(new ServerFailure(code, { scopes: ['files:write'] }).message)).toBe(code)
})

test('another text has no code', () => {
  expect(failureIn('The limit of tool calls per hour is reached.')).toBeUndefined()
})
