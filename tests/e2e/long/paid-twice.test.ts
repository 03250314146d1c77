/** A subscription of a user whose organization also pays. */
import { expect, test } from 'vitest'
import { setStage } from '../stage.ts'

const { newSignedInUser, product } = setStage()

test('a user with PRO sees a notice before an organization pays for it again, and keeps PRO when the own subscription ends', async () => {
  const owner = await newSignedInUser('twice@example.test')
  const { page } = owner
  const settings = '/account/subscription'
  await page.goto(`/api/checkout?redirectUrl=${settings}`)
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByText(/Renews on/).waitFor()
  const answer = await page.request.post('/api/auth/organization/create', {
    data: { name: 'Twice', slug: 'twice' },
    headers: { origin: product().url },
  })
  const { id } = (await answer.json()) as { readonly id: string }
  await page.goto(`/team/${id}/billing`)
  await page.getByText('You already pay for PRO yourself').waitFor()
  await page.getByRole('link', { name: 'Upgrade to PRO' }).click()
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByText('You also pay for PRO yourself. Twice keeps paying for you.').waitFor()

  await page.getByRole('link', { name: 'Your subscription' }).click()
  await page
    .getByText('Twice pays for your PRO. You also pay for PRO yourself. You can cancel your own subscription and keep PRO.')
    .waitFor()
  await page.getByRole('link', { name: 'Manage subscription' }).click()
  await page.getByRole('button', { name: 'Cancel at the end of the period' }).click()
  await page.getByRole('link', { name: 'Back to the product' }).click()
  await page.getByText(/^Your own subscription ends on/).waitFor()
  await page.getByText('Twice pays for your PRO.', { exact: true }).waitFor()
  expect(await page.getByText(/You keep PRO until then/).count()).toBe(0)
})
