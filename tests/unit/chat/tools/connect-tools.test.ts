// Which network pages are fetched from: where a deployment has one for them, that one and no other.
import { expect, test } from 'vitest'
import { connectTools } from '../../../../worker/chat/tools/connect-tools.ts'
import { ConnectionGate } from '../../../../worker/chat/tools/connection-gate.ts'
import { type Env, readSettings } from '../../../../worker/env.ts'

const bindings = { ENVIRONMENT: 'development', DB: {}, FILES: {}, ASSETS: {}, USER_SYNC: {}, GENERATION: {} }

test('pages are asked for by the network that is bound for them', async () => {
  const asked: string[] = []
  const PUBLIC_NETWORK = {
    fetch: async (input: string) => {
      asked.push(input)
      return new Response('Words.')
    },
  }
  const result = readSettings({ ...bindings, PUBLIC_NETWORK } as unknown as Env)
  const world = result.ok ? connectTools(result.settings, new ConnectionGate(1)) : null
  expect(await (await world?.network.fetch('https://page.org/'))?.text()).toBe('Words.')
  expect(asked).toEqual(['https://page.org/'])
})
