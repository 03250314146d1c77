// Tokens, cost and times of an answer in its details, and the sum of its thread.
import { afterAll, expect, test } from 'vitest'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import type { Peer } from '../../support/peers/peer-server.ts'
import { problemsInBothModes } from '../axe.ts'
import { setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

let peer: Peer
const { openComposer, newDevice } = setStage({
  product: async () => {
    peer = await startGatewayPeer(({ streaming }) =>
      streaming
        ? {
            kind: 'answer',
            words: ['Tides ', 'follow ', 'the moon.'],
            usage: { input: 12_400, cached: 9_600, output: 640, reasoning: 320, dollars: 0.0123451 },
          }
        : { kind: 'answer', words: ['Tides'], usage: { input: 90, output: 4, dollars: 0.000_014_1 } },
    )
    return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: peer.url } }
  },
})
afterAll(() => peer?.stop())

const dialog = ({ page }: UserPage) => page.getByRole('dialog', { name: 'Details' })

async function openDetails(user: UserPage): Promise<void> {
  await user.conversation.getByRole('article', { name: 'Answer' }).last().getByRole('button', { name: 'More for this message' }).click()
  await user.page.getByRole('menuitem', { name: 'Details' }).click()
  await dialog(user).waitFor()
}

/** The details by name, of the answer and then of the thread. */
const detailsOf = (user: UserPage) =>
  dialog(user)
    .locator('dl')
    .evaluateAll((lists) =>
      lists.map((list) =>
        Object.fromEntries(
          [...list.querySelectorAll('dt')].map((name) => [name.innerText, (name.nextElementSibling as HTMLElement).innerText]),
        ),
      ),
    )

test('the details of an answer show its tokens, cost and times, and those of its thread with the title', async () => {
  const guest = await openComposer()
  await guest.send('Why do tides come?')
  await guest.untilAnswered()
  await guest.threads.getByText('Tides').waitFor()
  await openDetails(guest)
  // The request for the title is recorded concurrently with the answer.
  await expect.poll(async () => (await detailsOf(guest))[1]).toEqual({ Tokens: '13,134', 'Estimated cost': '$0.0124' })
  const [answer] = await detailsOf(guest)
  expect(answer).toEqual({
    Model: expect.any(String),
    Price: '3 credits',
    Tokens: '13,040\n12,400 in (9,600 cached)\n640 out (320 reasoning)',
    'Estimated cost': '$0.0123',
    Duration: expect.stringMatching(/ s$/),
    'Time to first word': expect.stringMatching(/ s$/),
  })
  expect(await problemsInBothModes(guest, (mode) => show(guest, `details-1440-${mode}`))).toEqual({})
  await guest.page.keyboard.press('Escape')
  await dialog(guest).waitFor({ state: 'detached' })

  // Versions that are not shown also have costs.
  await guest.conversation.getByRole('button', { name: 'Regenerate', exact: true }).last().click()
  await guest.conversation.getByText('Version 2 of 2').waitFor({ state: 'attached' })
  await guest.untilAnswered()
  await openDetails(guest)
  await expect.poll(async () => (await detailsOf(guest))[1]).toEqual({ Tokens: '26,174', 'Estimated cost': '$0.0247' })
  await guest.page.keyboard.press('Escape')
  const onPhone = await newDevice(guest, { phone: true })
  await onPhone.open(new URL(guest.page.url()).pathname)
  // The served page may still show the first version.
  await onPhone.conversation.getByText('Version 2 of 2').waitFor({ state: 'attached' })
  await openDetails(onPhone)
  await expect.poll(async () => (await detailsOf(onPhone))[1]).toMatchObject({ Tokens: '26,174' })
  expect(await problemsInBothModes(onPhone, (mode) => show(onPhone, `details-390-${mode}`))).toEqual({})
  await onPhone.page.keyboard.press('Escape')
  // A fork starts without costs.
  await onPhone.conversation.getByRole('button', { name: 'More for this message' }).last().click()
  await onPhone.page.getByRole('menuitem', { name: 'Fork from here' }).click()
  await onPhone.page.waitForURL((url) => url.pathname !== new URL(guest.page.url()).pathname)
  await openDetails(onPhone)
  await expect.poll(async () => detailsOf(onPhone)).toEqual([expect.objectContaining({ Price: '0 credits', Tokens: 'Not recorded' })])
})
