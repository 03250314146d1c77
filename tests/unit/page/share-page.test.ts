// The public page of a shared thread.
import { expect, test } from 'vitest'
import type { Env } from '../../../worker/bindings.ts'
import type { ChatMessage } from '../../../worker/contract/messages.ts'
import { sharePage } from '../../../worker/page/share-page.ts'

const env = { ASSETS: { fetch: () => Promise.resolve(new Response('')) } } as unknown as Env

const answer = (text: string, demo?: true): ChatMessage => ({
  id: '',
  role: 'assistant',
  parts: [{ type: 'text', text }],
  metadata: { modelId: 'm', modelName: 'Model M', modelIcon: '', ending: 'completed', credits: 0, ...(demo && { demo }) },
})

test.each([
  ['en', 'Written by the built-in demo model.'],
  ['de', 'Vom eingebauten Demo-Modell geschrieben.'],
])('only answers of the demo model have its mark (%s)', async (language, description) => {
  const request = new Request('https://parley.example/share/s', { headers: { 'accept-language': language } })
  const shared = { id: 's', ownerId: 'u', title: 'T', name: null, isListed: false, createdAt: 0 }
  const page = await sharePage(env, request, 'https://parley.example', { ...shared, messages: [answer('one'), answer('two', true)] })
  const [, first, second] = (await page.text()).split('<article')
  expect(first).not.toContain('Demo')
  expect(second).toMatch(new RegExp(`Model M <span title="${description}" [^>]*>Demo</span>`))
})
