/** Account, organization and payment screens of a guest. */
import type { Page } from 'playwright-core'
import { openProDialog } from '../keys.ts'
import { at, button, heading, type Screen, type Users } from './screen.ts'

export type GuestWorld = { readonly users: Users }

const dialogOf =
  (name: string) =>
  async (page: Page, role: 'dialog' | 'alertdialog' = 'dialog') => {
    await button(page, name).first().click()
    await page.getByRole(role, { name }).waitFor()
  }

const openMenu = async (page: Page) => {
  await button(page, /credits left/).click()
  await page.getByRole('menu', { name: 'You' }).waitFor()
}

export const guestScreens: readonly Screen<GuestWorld>[] = [
  { name: 'guest account', route: '/account', inEveryTheme: true, open: at('/account#account', 'Current') },
  { name: 'guest subscription', route: '/account/subscription', open: at('/account/subscription', 'Upgrade to PRO') },
  { name: 'guest data', route: '/account/data', open: at('/account/data', 'Shared links') },
  { name: 'guest preferences', route: '/account/preferences', open: at('/account/preferences', 'Instructions') },
  {
    name: 'guest preferences, composer',
    route: '/account/preferences',
    open: async (page) => {
      await at('/account/preferences', 'Enter sends')(page)
      await page.getByRole('switch', { name: 'Enter sends' }).scrollIntoViewIfNeeded()
    },
  },
  { name: 'guest models', route: '/account/models', inEveryTheme: true, open: at('/account/models', 'Claude Opus') },
  { name: 'guest appearance', route: '/account/appearance', open: at('/account/appearance', 'Haze') },
  {
    name: 'offer of PRO to a guest',
    route: '/account/subscription',
    open: async (page) => {
      await at('/account/subscription', 'Upgrade to PRO')(page)
      await openProDialog(page)
      await page.getByText('Create account to get 20 credits daily').waitFor()
    },
  },
  {
    name: 'delete everything',
    route: '/account',
    open: async (page) => {
      await at('/account#account', 'Current')(page)
      await dialogOf('Delete everything')(page)
    },
  },
  {
    name: 'logout of a guest',
    route: '/account',
    open: async (page) => {
      await at('/account#account', 'Current')(page)
      await button(page, 'Log out of this session').click()
      await page.getByRole('alertdialog', { name: 'Logout' }).waitFor()
    },
  },
  {
    name: 'menu of a guest',
    route: '/',
    only: 'desk',
    open: async (page) => {
      await page.goto('/')
      await openMenu(page)
    },
  },
  {
    name: 'menu of a guest on a phone',
    route: '/',
    only: 'phone',
    open: async (page) => {
      await page.goto('/')
      await button(page, 'Open sidebar').click()
      await openMenu(page)
    },
  },
  { name: 'projects', route: '/projects', open: at('/projects', 'No projects yet.') },
  {
    name: 'a project',
    route: '/project/$projectId',
    open: async (page) => {
      await at('/projects', 'No projects yet.')(page)
      await button(page, 'New project').click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Tea shop')
      await button(page, 'Create').click()
      await page.getByText('No threads in this project yet.').waitFor()
    },
  },
  {
    name: 'files of a project',
    route: '/project/$projectId/files',
    open: async (page) => {
      await at('/projects', 'Tea shop')(page)
      await page.getByRole('main').getByRole('link', { name: 'Tea shop' }).click()
      await page.getByRole('tab', { name: 'Files' }).click()
      await page.getByText('No files yet.').waitFor()
    },
  },
  {
    name: 'instructions of a project',
    route: '/project/$projectId/instructions',
    open: async (page) => {
      await page.getByRole('tab', { name: 'Instructions' }).click()
      await page.getByRole('textbox', { name: 'Instructions' }).waitFor()
    },
  },
  {
    name: 'a project being edited',
    route: '/project/$projectId',
    open: async (page) => {
      await at('/projects', 'Tea shop')(page)
      await page.getByRole('main').getByRole('link', { name: 'Tea shop' }).click()
      await button(page, 'Edit').click()
      await page.getByRole('dialog', { name: 'Edit project' }).waitFor()
    },
  },
  { name: 'bookmarks', route: '/bookmarks', open: at('/bookmarks', 'No bookmarks yet.') },
  { name: 'archive', route: '/archive', open: at('/archive', 'No archived threads.') },
  { name: 'organizations of a guest', route: '/team', open: at('/team', 'Organizations need an account') },
  {
    name: 'invitation to a guest',
    route: '/team/invitation/$invitationId',
    open: at(`/team/invitation/${'x'.repeat(21)}`, 'no longer open'),
  },
  {
    name: 'organization that does not exist',
    route: '/team/$organizationId',
    open: async (page) => {
      await page.goto(`/team/${'x'.repeat(21)}`)
      await heading(page, 'Not found').waitFor()
    },
  },
]
