// Deployments without the gateway: a new guest gets an answer without selecting a model, and the picker lists available models.
import { afterAll, describe, expect, test } from 'vitest'
import { type OwnModels, startOllamaAlone, startOpenRouterAlone } from '../../support/peers/own-models.ts'
import { freePort } from '../../support/ports.ts'
import { setStage, show } from '../stage.ts'

describe.each([
  { way: 'ollama', start: startOllamaAlone, model: 'qwen3:8b', slug: 'qwen3:8b', answer: 'By Ollama.', front: ['qwen3:8b'] },
  {
    way: 'openrouter',
    start: startOpenRouterAlone,
    model: 'MoonshotAI: Kimi K2',
    slug: 'moonshotai/kimi-k2',
    answer: 'By OpenRouter.',
    // For everyday questions, for hard ones, and for little money.
    front: ['Google: Gemini 2.5 Flash', 'Mistral: Mistral Small', 'MoonshotAI: Kimi K2'],
  },
])('with $way alone', ({ way, start, model, slug, answer, front }) => {
  let own: OwnModels
  const { openComposer } = setStage({
    product: async () => {
      const port = await freePort()
      own = await start(`http://localhost:${port}`)
      return { port, env: own.env }
    },
  })
  afterAll(() => own?.stop())

  test('a guest’s first message is answered by an available model, and the picker opens with available models', async () => {
    const guest = await openComposer()
    const picker = guest.page.getByRole('button', { name: 'Model', exact: true })
    await expect.poll(() => picker.getAttribute('aria-description')).toBe(model)
    await guest.send('Hello?')
    await guest.conversation.getByText(answer).waitFor()
    await guest.untilAnswered()
    const [asked] = own.provider.requests.filter(({ streaming }) => streaming)
    expect(asked?.body).toMatchObject({ model: slug })
    expect(asked?.body).not.toHaveProperty('temperature')

    // The page is served with the same model, before any synced row.
    const served = (await (await guest.page.request.get('/_serverFn/first-page')).json()) as { model: unknown }
    expect(served.model).toMatchObject({ model: slug })
    await guest.page.reload()
    await expect.poll(() => picker.getAttribute('aria-description')).toBe(model)
    await picker.click()
    const options = guest.page.getByRole('listbox', { name: 'Models' }).getByRole('option')
    await expect.poll(() => options.count()).toBe(front.length)
    const seen = () => options.evaluateAll((all) => all.map((option) => [option.textContent, option.getAttribute('aria-disabled')]))
    await expect.poll(seen).toEqual(front.map((name) => [expect.stringContaining(name), null]))
    await show(guest, `picker-${way}-alone`)
  })
})
