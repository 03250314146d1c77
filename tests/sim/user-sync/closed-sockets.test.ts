// Sockets that the server closed hold memory until their clients answer. Rules: worker/sync/SPEC.md, R7.
import { expect, test } from 'vitest'
import { maxSockets } from '../../../worker/sync/protocol/wire-limits.ts'
import { type Line, LoneObject } from './lone-object.ts'
import { newRecord } from './truth.ts'

test('[R7] counts a closed socket until its client has closed it too', async () => {
  const object = new LoneObject(newRecord(), 'ada')
  const lines: Line[] = []
  const visit = () => object.mustConnect({ params: { clientID: 'one-client' } })
  // Each connection replaces the one before, whose client does not answer the close.
  for (let i = 0; i < maxSockets; i++) lines.push(await visit())
  const firstFrame = async () => (await visit()).takeReceived()[0]
  expect(await firstFrame()).toEqual(['error', expect.objectContaining({ kind: 'ServerOverloaded' })])
  const [first] = lines
  if (first) await object.close(first)
  expect(await firstFrame()).toEqual(['connected', expect.anything()])
})
