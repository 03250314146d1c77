/** Organizations in the browser: created, joined, changed and left, with the screens of all members updating. */
import { expect, test } from 'vitest'
import { setStage } from './stage.ts'
import type { UserPage } from './user-page.ts'

const { mailTo, newSignedInUser, newUser } = setStage()

const invitationPath = async (email: string): Promise<string> =>
  /\/team\/invitation\/[\w-]+/.exec(await mailTo(email))?.[0] ?? 'no invitation in the mail'

const button = ({ page }: UserPage, name: string | RegExp) => page.getByRole('button', { name })
const field = ({ page }: UserPage, name: string) => page.getByRole('textbox', { name })
const tab = ({ page }: UserPage, name: string) => page.getByRole('tablist', { name: 'Organization' }).getByRole('tab', { name })
const choose = ({ page }: UserPage, name: string | RegExp) => page.getByRole('menuitem', { name }).click()

const createOrganization = async (owner: UserPage, name: string) => {
  await owner.page.goto('/team')
  await button(owner, 'Create an organization').click()
  await field(owner, 'Name').first().fill(name)
  await button(owner, /^Create$/).click()
  await owner.page.getByRole('heading', { name }).waitFor()
}

const invite = async (owner: UserPage, email: string) => {
  await field(owner, 'Email').fill(email)
  await button(owner, /^Invite$/).click()
  await owner.page.getByText(/open until/).waitFor()
}

test('an organization is created, joined by mail, changed and left, and every screen updates', async () => {
  const [ada, ben] = [await newSignedInUser('ada@example.test'), await newSignedInUser('ben@example.test')]
  await createOrganization(ada, 'Ateliér Nord')
  // An organization without a subscription shows no seat price.
  expect(await ada.page.getByText(/adds a seat/).count()).toBe(0)
  await invite(ada, 'ben@example.test')
  expect(await mailTo('ben@example.test')).toContain('ada@example.test invites you to join Ateliér Nord')

  const invitation = await invitationPath('ben@example.test')
  // A visitor reads who invites, without becoming a guest.
  const visitor = await newUser()
  await visitor.page.goto(invitation)
  await visitor.page.getByRole('heading', { name: 'Join Ateliér Nord' }).waitFor()
  await visitor.page.getByText('ada@example.test invites you. Log in with the address').waitFor()
  expect(await visitor.context.cookies()).toEqual([])
  await visitor.page.getByRole('link', { name: 'Log in' }).click()
  await visitor.page.waitForURL((url) => url.pathname === '/login' && url.searchParams.get('callbackUrl') === invitation)
  await ben.page.goto(invitation)
  await ben.page.getByText('ada@example.test invites you to').waitFor()
  // Outside of the frame of the app.
  expect(await ben.page.getByRole('complementary', { name: 'Sidebar' }).count()).toBe(0)
  await button(ben, 'Accept').click()
  await ben.page.getByRole('heading', { name: 'Ateliér Nord', exact: true }).waitFor()
  await ben.page.goto(invitation)
  await ben.page.getByRole('heading', { name: 'You are a member of Ateliér Nord' }).waitFor()
  await ben.page.getByRole('link', { name: 'Open the organization' }).click()
  await ben.page.getByRole('heading', { name: 'Ateliér Nord', exact: true }).waitFor()
  // Ada's open page updates automatically.
  await ada.page.getByText('Members · 2').waitFor()
  await ada.page.getByText(/open until/).waitFor({ state: 'detached' })

  // Actions that a member may not use are visible with their reason.
  await tab(ben, 'Teams').click()
  await expect.poll(() => button(ben, 'New team').getAttribute('aria-disabled')).toBe('true')
  // A member sees the settings as text instead of a form.
  await tab(ben, 'Settings').click()
  await ben.page.getByText('Only owners and admins can change this.').waitFor()
  await ben.page.getByText('atelier-nord', { exact: true }).waitFor()
  expect(await ben.page.locator('main').getByRole('textbox').count()).toBe(0)
  expect(await button(ben, 'Delete organization').count()).toBe(0)
  await tab(ben, 'Members').click()
  await ben.page.getByText('Only owners and admins can invite members.').waitFor()
  expect(await field(ben, 'Email').count()).toBe(0)
  await button(ada, 'Change ben').click()
  await ada.page.getByRole('menuitemradio', { name: 'Admin' }).click()
  await ben.page.getByRole('main').getByText('Admin').first().waitFor()
  await field(ben, 'Email').waitFor()
  await tab(ben, 'Teams').click()
  await button(ben, 'New team').click()
  await field(ben, 'Name').fill('Makers')
  await button(ben, /^Create$/).click()
  await tab(ada, 'Teams').click()
  await button(ada, 'Add to Makers').click()
  await choose(ada, 'ben')
  await button(ben, 'Remove ben from Makers').waitFor()

  await tab(ada, 'Settings').click()
  // A refused name stays in its field, with the reason below it.
  await field(ada, 'Name').first().fill('Atelier www.example')
  await ada.page.getByRole('main').getByText('This name is empty, too long, or contains a link.').waitFor()
  await expect.poll(() => field(ada, 'Name').first().getAttribute('aria-invalid')).toBe('true')
  expect(await field(ada, 'Name').first().inputValue()).toBe('Atelier www.example')
  expect(await ada.page.locator('[data-sonner-toast][data-type="error"]').count()).toBe(0)
  ada.ignoreErrors(/status of 400/)
  await field(ada, 'Name').first().fill('Atelier Süd')
  await ben.page.getByRole('heading', { name: 'Atelier Süd' }).waitFor()

  await tab(ada, 'Members').click()
  await button(ada, 'Change ben').click()
  await choose(ada, 'Remove')
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  // Every page of the organization shows that it does not exist.
  await ben.page.getByRole('heading', { name: 'Not found' }).waitFor()
  await ada.page.getByText('Members · 1').waitFor()
})

test('an invitation shows on the team page of its address, and can be declined or canceled', async () => {
  const [ada, dan] = [await newSignedInUser('ada3@example.test'), await newSignedInUser('dan@example.test')]
  await createOrganization(ada, 'Third')
  await invite(ada, 'dan@example.test')
  await dan.page.goto('/team')
  await dan.page.getByText('invites you').waitFor()
  await button(dan, 'Decline').click()
  await dan.page.getByText('invites you').waitFor({ state: 'detached' })
  await ada.page.getByText(/open until/).waitFor({ state: 'detached' })
  await invite(ada, 'dan@example.test')
  await button(ada, 'Cancel the invitation of dan@example.test').click()
  await ada.page.getByText(/open until/).waitFor({ state: 'detached' })
  await dan.page.goto(await invitationPath('dan@example.test'))
  await dan.page.getByText('This invitation is no longer open').waitFor()
  dan.ignoreErrors(/Failed to load resource/)
})

test('a long word in the name of an organization wraps on the page of its invitation', async () => {
  const owner = await newSignedInUser('owner.of.a.long.name@example.test')
  await createOrganization(owner, 'Donaudampfschifffahrtsgesellschaftskapitänsverein')
  await invite(owner, 'invited@example.test')
  const { page } = await newUser()
  await page.goto(await invitationPath('invited@example.test'))
  const heading = page.getByRole('heading', { name: /^Join Donaudampf/ })
  expect(await heading.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true)
})
