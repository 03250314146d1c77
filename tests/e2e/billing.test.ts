/** From guest to PRO and back through the simulated checkout. Payments show in every tab. */
import { expect, test } from 'vitest'
import { linkIn, pathOf, setStage } from './stage.ts'
import { type UserPage, untilMode } from './user-page.ts'

const { mailTo, newUser, newSignedInUser, product } = setStage({
  product: { env: { CRON_SECRET: 'a secret of this test' } },
})

async function openOffer({ page }: UserPage) {
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  await page.getByRole('combobox', { name: 'Find model' }).fill('claude opus')
  // Enter selects from the list, which appears when the models have loaded.
  await page
    .getByRole('option', { name: /^Claude Opus/ })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
  const offer = page.getByRole('dialog', { name: 'Upgrade to PRO' })
  await offer.waitFor()
  return offer
}

test('a guest signs in, subscribes, has PRO in every tab, cancels, and sees the end date', async () => {
  const user = await newUser()
  const { page, context } = user
  await user.open()
  const offer = await openOffer(user)
  await expect
    .poll(() => offer.innerText())
    .toMatch(/research tool[\s\S]*200 Credits daily[\s\S]*Create account to get 20 credits daily[\s\S]*Log in to keep your threads/)
  await page.goBack()
  await page.goForward()
  await user.open()
  const again = await openOffer(user)
  await again.getByRole('link', { name: 'Get Started' }).click()
  await page.getByRole('heading', { name: 'Log in to Parley' }).waitFor()
  expect(new URL(page.url()).searchParams.get('callbackUrl')).toBe('/api/checkout')
  await expect.poll(() => offer.count()).toBe(0)
  await page.getByRole('textbox', { name: 'Email' }).fill('mira@example.test')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()

  await page.goto(linkIn(await mailTo('mira@example.test')))
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByRole('heading', { name: 'Simulated checkout' }).waitFor()
  const other = await context.newPage()
  await other.goto('/')
  await other.getByRole('button', { name: /Free 20 credits left/ }).waitFor()

  // Records the first paint, before scripts of the page could send a request.
  await context.addInitScript(() => {
    new MutationObserver(() => {
      const plan = document.querySelector('section[aria-label="Plan"]')?.textContent
      if (plan && !('firstPlan' in window)) Object.assign(window, { firstPlan: plan })
    }).observe(document, { childList: true, subtree: true })
  })
  await page.getByRole('button', { name: 'Subscribe' }).click()
  const welcome = page.getByRole('dialog', { name: 'Welcome to PRO' })
  await welcome.waitFor()
  await page.keyboard.press('Escape')
  expect(await page.evaluate(() => String((window as { firstPlan?: string }).firstPlan))).toMatch(/^Plan ?PRO/)
  await expect.poll(() => page.url()).toBe(`${product().url}/account/subscription`)
  await page.getByText(/Renews on/).waitFor()
  await other.getByRole('button', { name: /PRO 200 credits left/ }).waitFor()

  await page.goto('/api/checkout?redirectUrl=https://evil.example/')
  await page.getByText('You already have a subscription').waitFor()
  await expect.poll(() => page.url()).toBe(`${product().url}/account/subscription`)

  await page.getByRole('link', { name: 'Manage subscription' }).click()
  await page.getByRole('heading', { name: 'Simulated portal' }).waitFor()
  await other.goto('/account/subscription')
  await page.getByRole('button', { name: 'Cancel at the end of the period' }).click()
  await other.getByText(/Ends on .* You keep PRO until then/).waitFor()
  await page.getByRole('link', { name: 'Back to the product' }).click()
  await page.getByText(/Ends on/).waitFor()

  await page.getByRole('link', { name: 'Resume or manage' }).click()
  // For a clock that is behind: the client itself must notice the end of the subscription.
  await other.evaluate(() => {
    const now = Date.now
    Date.now = () => now() - 2000
  })
  await page.getByRole('button', { name: 'Let the month pass', exact: true }).click()
  await page.getByText('Status: canceled').waitFor()
  await other.getByText(/The subscription ended on/).waitFor()
  await other.getByRole('link', { name: 'Upgrade to PRO' }).waitFor()
  await page.goto('/api/setup')
  await page.getByText('every migration is applied').waitFor()
  expect(await page.getByText('needs attention', { exact: true }).count()).toBe(0)
})

test('an organization pays for its members: they get PRO at once, see the payment, and only its owner can manage it', async () => {
  const [owner, member] = [await newSignedInUser('ada@example.test'), await newSignedInUser('ben@example.test')]
  const call = async ({ page }: UserPage, path: string, data: object) => {
    const answer = await page.request.post(`/api/auth/organization/${path}`, { data, headers: { origin: product().url } })
    return (await answer.json()) as { readonly id: string }
  }
  const { id: organizationId } = await call(owner, 'create', { name: 'Atelier', slug: 'atelier' })
  const { id: invitationId } = await call(owner, 'invite-member', { organizationId, email: 'ben@example.test', role: 'member' })
  await call(member, 'accept-invitation', { invitationId })
  await member.open()
  const billing = `/team/${organizationId}/billing`

  await owner.page.goto(billing)
  await owner.page.getByText('2 seats').waitFor()
  await owner.page.getByRole('link', { name: 'Upgrade to PRO' }).click()
  await owner.page.getByRole('heading', { name: 'Simulated checkout' }).waitFor()
  await owner.page.getByRole('button', { name: 'Subscribe' }).click()
  await owner.page.getByRole('dialog', { name: 'Welcome to PRO' }).waitFor()
  await owner.page.keyboard.press('Escape')
  await expect.poll(() => pathOf(owner)).toBe(billing)
  await owner.page.getByText(/Renews on/).waitFor()
  await member.page.getByRole('button', { name: /PRO 200 credits left/ }).waitFor()

  await member.page.goto('/account/subscription')
  await member.page.getByText('Atelier pays for your PRO.').waitFor()
  await member.page.goto(billing)
  const manage = member.page.getByRole('button', { name: 'Manage subscription' })
  await expect.poll(() => manage.getAttribute('aria-disabled')).toBe('true')
  // The costs of joining and the effects of leaving are shown before confirming.
  await owner.page.goto(`/team/${organizationId}`)
  await owner.page.getByText('Each member who accepts adds a seat for $25.00 a month.').waitFor()
  await member.page.goto(`/team/${organizationId}`)
  await member.page.getByRole('button', { name: 'Change ben' }).click()
  await member.page.getByRole('menuitem', { name: 'Leave' }).click()
  const leaveDialog = member.page.getByRole('alertdialog', { name: 'Leave organization' })
  await leaveDialog.getByText('You lose access to Atelier. Your PRO ends at once, because the organization pays for it.').waitFor()
  await leaveDialog.getByRole('button', { name: 'Cancel' }).click()
  await member.page.goto(billing)
  await owner.page.goto(billing)
  await owner.page.getByRole('link', { name: 'Manage subscription' }).click()
  await owner.page.getByRole('button', { name: 'Cancel at the end of the period' }).click()
  await member.page.getByText(/Ends on .* You keep PRO until then/).waitFor()
})

test('after a payment, the welcome to PRO starts what came with it', async () => {
  const { page } = await newSignedInUser('welcomed@billing.test')
  const choose = async (name: RegExp) => {
    await page.goto('/account/subscription?checkout=done')
    const welcome = page.getByRole('dialog', { name: 'Welcome to PRO' })
    const choice = welcome.getByRole('button', { name })
    const [title = ''] = (await choice.innerText()).split('\n')
    await choice.click()
    await welcome.waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).pathname).toBe('/')
    return title
  }
  const field = page.getByRole('textbox', { name: 'Message' })
  await page.goto('/api/checkout')
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('dialog', { name: 'Welcome to PRO' }).waitFor()

  await choose(/^Research/)
  await expect.poll(() => field.inputValue()).not.toBe('')
  await untilMode({ page }, 'Research')
  await choose(/^Compare/)
  await page.getByRole('list', { name: 'Compared models' }).waitFor()
  const strongest = (await choose(/^Ask /)).replace('Ask ', '')
  await page.getByRole('button', { name: 'Model', exact: true, description: strongest }).waitFor()
})
