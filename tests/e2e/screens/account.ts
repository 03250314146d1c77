/** The pages of an account. `me` logged in recently, on two devices; `old` days ago, by mail; `social` days ago, by a provider. */

import { openProDialog } from '../keys.ts'
import { at, button, field, heading, readMail, type Screen, type Users } from './screen.ts'

export type AccountWorld = { readonly users: Users; readonly myId: string }

const account = at('/account#account', 'Current')

const dialog =
  (opener: string | RegExp, name: string, role: 'dialog' | 'alertdialog'): Screen<unknown>['open'] =>
  async (page) => {
    await account(page)
    await button(page, opener).first().click()
    await page.getByRole(role, { name }).waitFor()
  }

/** For a user whose login is not recent. */
const askToProve: Screen<unknown>['open'] = async (page, world) => {
  await dialog('Delete account', 'Delete account', 'dialog')(page, world)
  const email = page.getByRole('textbox', { name: /to confirm$/ })
  await email.fill(/Type (\S+) to confirm/.exec(await page.getByRole('dialog').innerText())?.[1] ?? '')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click()
}

export const accountScreens: readonly Screen<AccountWorld>[] = [
  { name: 'list of the settings', route: '/account', open: at('/account', 'Data & sharing') },
  {
    name: 'new thread of an account without a name',
    route: '/',
    open: async (page) => {
      await page.goto('/')
      await field(page, 'What should we call you?').fill('Ada')
    },
  },
  { name: 'account', route: '/account', open: account },
  {
    name: 'account with a name that is too long',
    route: '/account',
    open: async (page) => {
      await account(page)
      await field(page, 'Name').fill('x'.repeat(33))
      await page.getByText('1 character too many').waitFor()
    },
  },
  { name: 'revoke a session', route: '/account', open: dialog(/^Revoke the session of/, 'Revoke Session', 'alertdialog') },
  { name: 'revoke all others', route: '/account', open: dialog('Revoke all other sessions', 'Revoke Sessions', 'alertdialog') },
  { name: 'logout', route: '/account', open: dialog('Log out of this session', 'Logout', 'alertdialog') },
  { name: 'delete account', route: '/account', open: dialog('Delete account', 'Delete account', 'dialog') },
  {
    name: 'delete account with a code',
    inEveryTheme: true,
    route: '/account',
    as: 'old',
    open: async (page, world) => {
      await askToProve(page, world)
      await field(page, 'Code').waitFor()
    },
  },
  {
    name: 'delete account with a wrong code',
    route: '/account',
    as: 'old',
    open: async (page, world) => {
      await askToProve(page, world)
      await field(page, 'Code').fill('000000')
      await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click()
      await page.getByText('Incorrect code.').waitFor()
    },
  },
  {
    name: 'mail with a code to delete the account',
    route: 'mail',
    as: 'old',
    open: async (page) => {
      await readMail(page, ({ to, subject }) => to === 'old@screens.test' && subject === 'Your code to delete your account')
      await heading(page, "Confirm it's you").waitFor()
    },
  },
  {
    name: 'delete account by logging in again',
    route: '/account',
    as: 'social',
    open: async (page, world) => {
      await askToProve(page, world)
      await button(page, 'Log in with GitHub').waitFor()
    },
  },
  {
    name: 'delete account, logged in again',
    route: '/account',
    open: async (page, { myId }) => at(`/account?delete=${myId}`, 'You are logged in again as')(page),
  },
  { name: 'subscription', route: '/account/subscription', open: at('/account/subscription', 'Upgrade to PRO') },
  {
    name: 'offer of PRO',
    route: '/account/subscription',
    open: async (page) => {
      await at('/account/subscription', 'Upgrade to PRO')(page)
      await openProDialog(page)
    },
  },
  {
    name: 'usage, a limit that is none',
    route: '/account/usage',
    open: async (page) => {
      await at('/account/usage', 'What you used')(page)
      await field(page, 'Credits a day').fill('many')
      await field(page, 'Credits a day').blur()
      await page.getByText('Enter a whole number').waitFor()
    },
  },
  {
    name: 'preferences, one too long',
    route: '/account/preferences',
    open: async (page) => {
      await at('/account/preferences', 'Instructions')(page)
      await field(page, 'Biography').fill('I count. '.repeat(60))
      await page.getByText('40 characters too many').waitFor()
    },
  },
  { name: 'models', route: '/account/models', open: at('/account/models', 'Claude Opus') },
  {
    name: 'models, filtered',
    route: '/account/models',
    open: async (page) => {
      await at('/account/models', 'Claude Opus')(page)
      await button(page, 'Pinned').click()
      await page.getByText('Gemini 2.5 Pro').waitFor()
    },
  },
  {
    name: 'models, none found',
    route: '/account/models',
    open: async (page) => {
      await at('/account/models', 'Claude Opus')(page)
      await page.getByRole('searchbox', { name: 'Find a model' }).fill('nothing of that name')
      await page.getByText('No models match').waitFor()
    },
  },
  {
    name: 'prompts',
    route: '/account/prompts',
    open: async (page) => {
      await at('/account/prompts', 'New prompt')(page)
      await button(page, 'New prompt').click()
      await field(page, 'Name').fill('Review')
      await field(page, 'Text').fill('Review {{code}} as {{role}}.')
      await button(page, 'Create').click()
      await button(page, 'Edit Review').first().waitFor()
    },
  },
  {
    name: 'editing a prompt',
    route: '/account/prompts',
    open: async (page) => {
      await at('/account/prompts', 'Review')(page)
      await button(page, 'Edit Review').first().click()
      await page.getByRole('dialog', { name: 'Edit prompt' }).waitFor()
    },
  },
  {
    name: 'memory',
    route: '/account/memory',
    open: async (page) => {
      await at('/account/memory', 'Memory is off.')(page)
      await page.getByRole('switch', { name: 'Remember facts about me' }).click()
      await page.getByText('No memories yet.').waitFor()
      await page.getByRole('switch', { name: 'Remember facts about me' }).click()
      await page.getByText('Memory is off.').waitFor()
    },
  },
  { name: 'tools', route: '/account/tools', open: at('/account/tools', 'Add server') },
  {
    name: 'adding a tool server',
    route: '/account/tools',
    open: async (page) => {
      await at('/account/tools', 'Add server')(page)
      await button(page, 'Add server').click()
      await page.getByRole('dialog', { name: 'Add server' }).getByRole('button', { name: 'Headers' }).click()
      await button(page, 'Add header').click()
      await page.getByRole('textbox', { name: 'Name of header 1' }).waitFor()
    },
  },
  { name: 'appearance', route: '/account/appearance', open: at('/account/appearance', 'Haze') },
  {
    name: 'menu of an account',
    route: '/',
    only: 'desk',
    open: async (page) => {
      await page.goto('/')
      await button(page, /credits left/).click()
      await page.getByRole('menuitem', { name: 'Organizations' }).waitFor()
    },
  },
  {
    name: 'not found',
    route: '/$threadId',
    open: async (page) => {
      await page.goto('/no/such/page')
      await heading(page, 'Not found').waitFor()
    },
  },
]
