/**
 * Organizations. `owner`, `admin` and `member` are in one with a long name, with teams, an open invitation and an expired one; `nobody` is
 * in no organization and invited to it; `eve` is unrelated.
 */
import { at, button, field, heading, readMail, type Screen, type Users } from './screen.ts'

type TeamWorld = {
  readonly users: Users
  readonly organizationId: string
  readonly invitations: { readonly [state in 'open' | 'expired' | 'accepted' | 'declined']: string }
}

type Row = Screen<TeamWorld>

const part =
  (below: string, text: string | RegExp): Row['open'] =>
  (page, { organizationId }) =>
    at(`/team/${organizationId}${below}`, text)(page)

const members = part('', 'Members · 3')
const teams = part('/teams', 'Makers')
const settings = part('/settings', 'Short name')

/** Selects an item of one of its menus and waits for the dialog. */
const chosen =
  (place: Row['open'], menu: string, item: string, role: 'dialog' | 'alertdialog'): Row['open'] =>
  async (page, world) => {
    await place(page, world)
    await button(page, menu).click()
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole(role).waitFor()
  }

const menu =
  (place: Row['open'], name: string): Row['open'] =>
  async (page, world) => {
    await place(page, world)
    await button(page, name).click()
    await page.getByRole('menu').waitFor()
  }

const invitation =
  (state: keyof TeamWorld['invitations'], text: string): Row['open'] =>
  (page, { invitations }) =>
    at(`/team/invitation/${invitations[state]}`, text)(page)

const route = '/team/$organizationId'
const invitationRoute = '/team/invitation/$invitationId'

export const teamScreens: readonly Row[] = [
  { name: 'organizations', route: '/team', as: 'owner', open: at('/team', '3 members') },
  { name: 'no organization, and an invitation', route: '/team', as: 'nobody', open: at('/team', 'invites you') },
  {
    name: 'new organization',
    route: '/team',
    as: 'nobody',
    open: async (page) => {
      await at('/team', 'Share one subscription')(page)
      await button(page, 'Create an organization').click()
      await field(page, 'Name').first().waitFor()
    },
  },
  {
    name: 'new organization, short name taken',
    route: '/team',
    as: 'nobody',
    open: async (page) => {
      await at('/team', 'Share one subscription')(page)
      await button(page, 'Create an organization').click()
      await field(page, 'Name').first().fill('Taken')
      await button(page, 'Create').click()
      await page.getByText('Another organization has this short name').waitFor()
    },
  },
  { name: 'members, for an owner', route, as: 'owner', open: members },
  { name: 'members, for a member', route, as: 'member', open: members },
  { name: 'menu of a member, for an owner', route, as: 'owner', open: menu(members, 'Change member') },
  { name: 'menu of an owner, for an admin', route, as: 'admin', open: menu(members, 'Change owner') },
  { name: 'remove a member', route, as: 'owner', open: chosen(members, 'Change member', 'Remove', 'alertdialog') },
  { name: 'leave', route, as: 'member', open: chosen(members, 'Change member', 'Leave', 'alertdialog') },
  {
    name: 'invite an address that has an open invitation',
    route,
    as: 'owner',
    open: async (page, world) => {
      await members(page, world)
      await field(page, 'Email').fill('nobody@screens.test')
      await button(page, 'Invite').click()
      await page.getByText('This address is already invited').waitFor()
    },
  },
  { name: 'teams, for an owner', route: '/team/$organizationId/teams', as: 'owner', open: teams },
  { name: 'teams, for a member', route: '/team/$organizationId/teams', as: 'member', open: teams },
  { name: 'tools, for an owner', route: '/team/$organizationId/tools', as: 'owner', open: part('/tools', 'No servers yet.') },
  { name: 'tools, for a member', route: '/team/$organizationId/tools', as: 'member', open: part('/tools', 'No servers yet.') },
  { name: 'add to a team', route: '/team/$organizationId/teams', as: 'owner', open: menu(teams, 'Add to Makers') },
  {
    name: 'new team',
    route: '/team/$organizationId/teams',
    as: 'owner',
    open: async (page, world) => {
      await teams(page, world)
      await button(page, 'New team').click()
      await page.getByRole('dialog', { name: 'New team' }).waitFor()
    },
  },
  { name: 'rename a team', route: '/team/$organizationId/teams', as: 'owner', open: chosen(teams, 'Change Makers', 'Rename', 'dialog') },
  {
    name: 'delete a team',
    route: '/team/$organizationId/teams',
    as: 'owner',
    open: chosen(teams, 'Change Makers', 'Delete', 'alertdialog'),
  },
  { name: 'billing, nothing paid', route: '/team/$organizationId/billing', as: 'owner', open: part('/billing', '3 seats') },
  { name: 'settings of an organization', route: '/team/$organizationId/settings', as: 'owner', open: settings },
  { name: 'settings of an organization, for an admin', route: '/team/$organizationId/settings', as: 'admin', open: settings },
  { name: 'settings of an organization, for a member', route: '/team/$organizationId/settings', as: 'member', open: settings },
  {
    name: 'delete an organization',
    route: '/team/$organizationId/settings',
    as: 'owner',
    open: async (page, world) => {
      await settings(page, world)
      await button(page, 'Delete organization').click()
      await page.getByRole('dialog', { name: 'Delete organization' }).waitFor()
    },
  },
  { name: 'invitation', route: invitationRoute, as: 'nobody', open: invitation('open', 'invites you to') },
  { name: 'invitation that has expired', route: invitationRoute, as: 'nobody', open: invitation('expired', 'no longer open') },
  { name: 'invitation that was accepted', route: invitationRoute, as: 'member', open: invitation('accepted', 'You are a member of') },
  { name: 'invitation that was declined', route: invitationRoute, as: 'eve', open: invitation('declined', 'no longer open') },
  { name: 'invitation for another account', route: invitationRoute, as: 'eve', open: invitation('open', 'sent to another address') },
  {
    name: 'mail with an invitation',
    route: 'mail',
    as: 'eve',
    open: async (page) => {
      await readMail(page, ({ subject }) => subject.startsWith('Join '))
      await heading(page, /^You are invited to/).waitFor()
    },
  },
]
