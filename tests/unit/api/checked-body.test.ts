// The first bytes of an upload.
import { expect, test } from 'vitest'
import { BrokenBodyError, openBody } from '../../../worker/api/checked-body.ts'

test('a body that breaks off before its type is known is an error of the client', async () => {
  const lost = new Error('Network connection lost.')
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(lost) })
  const failure = await openBody(body).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(BrokenBodyError)
  expect(failure).toMatchObject({ cause: lost })
})
