/**
 * Every address of the app, with its parameters, its guard and its page. A page loads when it is opened; what this file imports statically is in
 * the first load of every page. The pages below `live` share one sync client and the sidebar. The others need no session.
 */
import { createRootRoute, createRoute, lazyRouteComponent, notFound, Outlet } from '@tanstack/react-router'
import { idSchema, newThreadIdSchema } from '../../worker/contract/ids.ts'
import { ownPath } from '../../worker/contract/own-path.ts'
import { ErrorView, NotFoundView } from '../features/shell/error-view.tsx'
import type { LinkFields } from '../features/sign-in/magic-link-page.tsx'
import { pendingCaptcha } from '../lib/captcha.ts'
import { hasFirstPaint } from '../lib/first-paint.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { useStore } from '../lib/store.ts'
import { SectionErrorBoundary } from '../ui/section-error-boundary.tsx'
import { Toaster } from '../ui/toaster.tsx'
import { TooltipLayer } from '../ui/tooltip.tsx'
import { loadProject, loadThread } from './load-thread-view.ts'

const root = createRootRoute({
  component: Root,
  notFoundComponent: () => (
    <main className="flex min-h-dvh flex-col">
      <NotFoundView />
    </main>
  ),
  errorComponent: ({ error, reset }) => (
    <main className="flex min-h-dvh flex-col">
      <ErrorView error={error} onRetry={reset} />
    </main>
  ),
})

const CaptchaStep = lazyPart(() => import('../features/sign-in/captcha-step.tsx').then((module) => module.CaptchaStep))

/** A Turnstile challenge that the server required. */
function CaptchaLayer() {
  const request = useStore(pendingCaptcha)
  return request && <CaptchaStep request={request} />
}

function Root() {
  return (
    <>
      <Outlet />
      <SectionErrorBoundary part="securityCheck" isOverlay>
        <CaptchaLayer />
      </SectionErrorBoundary>
      <SectionErrorBoundary part="tooltip" isOverlay>
        <TooltipLayer />
      </SectionErrorBoundary>
      <SectionErrorBoundary part="notification" isOverlay>
        <Toaster />
      </SectionErrorBoundary>
    </>
  )
}

type Search = Readonly<Record<string, unknown>>

/** An id that cannot exist is not asked for. */
function checkId(id: string): void {
  if (!idSchema.safeParse(id).success) throw notFound()
}

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: ({ callbackUrl, error }: Search): { readonly callbackUrl?: string; readonly error?: string } => ({
    ...(callbackUrl !== undefined && { callbackUrl: ownPath(callbackUrl, location.origin, '/') }),
    // The router parses JSON, so it can be an object without a text. Any value shows that the login failed.
    ...(error !== undefined && { error: typeof error === 'string' ? error.slice(0, 80) : '' }),
  }),
  component: lazyRouteComponent(() => import('../features/sign-in/login-page.tsx'), 'LoginPage'),
})

const linkFields = ['token', 'guest', 'callbackURL', 'errorCallbackURL'] as const

const magicLink = createRoute({
  getParentRoute: () => root,
  path: '/magic-link',
  validateSearch: (search: Search): LinkFields =>
    Object.fromEntries(linkFields.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : []))),
  component: lazyRouteComponent(() => import('../features/sign-in/magic-link-page.tsx'), 'MagicLinkPage'),
})

const loggedOut = createRoute({
  getParentRoute: () => root,
  path: '/logged-out',
  validateSearch: ({ deleted }: Search): { readonly deleted?: true } => (deleted ? { deleted: true } : {}),
  component: lazyRouteComponent(() => import('../features/sign-in/logged-out-page.tsx'), 'LoggedOutPage'),
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/team/invitation/$invitationId',
  beforeLoad: ({ params }) => checkId(params.invitationId),
  component: lazyRouteComponent(() => import('./invitation.tsx'), 'Invitation'),
})

const live = createRoute({ getParentRoute: () => root, id: 'live', component: lazyRouteComponent(() => import('./live.tsx'), 'Live') })

/**
 * A new thread, a new thread in a project, and any thread. One component draws them, so that the first message changes the address without a
 * remount.
 */
const chat = createRoute({
  getParentRoute: () => live,
  id: 'chat',
  component: lazyRouteComponent(() => import('./chat.tsx'), 'Chat'),
})

/** `temporary`: the thread is temporary. */
const newThread = createRoute({
  getParentRoute: () => chat,
  path: '/',
  validateSearch: ({ temporary }: Search): { readonly temporary?: true } => (temporary === true ? { temporary } : {}),
})

/** The first paint stands for the thread until its code is loaded; after a navigation the layout does. */
const thread = createRoute({
  getParentRoute: () => chat,
  path: '/$threadId',
  beforeLoad: async () => {
    const loading = loadThread()
    if (hasFirstPaint()) await loading
    // The layout shows the failure.
    else loading.catch(() => undefined)
  },
})

const projectPage = {
  getParentRoute: () => chat,
  beforeLoad: async ({ params }: { readonly params: { readonly projectId: string } }) => {
    checkId(params.projectId)
    await loadProject()
  },
}
const project = createRoute({ ...projectPage, path: '/project/$projectId' })
const projectFiles = createRoute({ ...projectPage, path: '/project/$projectId/files' })
const projectInstructions = createRoute({ ...projectPage, path: '/project/$projectId/instructions' })

const archive = createRoute({
  getParentRoute: () => live,
  path: '/archive',
  component: lazyRouteComponent(() => import('../features/shell/library/library-pages.tsx'), 'ArchivePage'),
})

const bookmarks = createRoute({
  getParentRoute: () => live,
  path: '/bookmarks',
  component: lazyRouteComponent(() => import('../features/shell/library/library-pages.tsx'), 'BookmarksPage'),
})

const projects = createRoute({
  getParentRoute: () => live,
  path: '/projects',
  component: lazyRouteComponent(() => import('../features/shell/library/library-pages.tsx'), 'ProjectsPage'),
})

/** `copy`: id of the thread that the copy becomes. */
const continueShare = createRoute({
  getParentRoute: () => live,
  path: '/continue/$shareId',
  validateSearch: ({ copy }: Search): { readonly copy?: string } => {
    const id = newThreadIdSchema.safeParse(copy)
    return id.success ? { copy: id.data } : {}
  },
  beforeLoad: ({ params }) => checkId(params.shareId),
  component: lazyRouteComponent(() => import('../features/shell/share/continue-page.tsx'), 'ContinuePage'),
})

const settings = createRoute({
  getParentRoute: () => live,
  path: '/account',
  component: lazyRouteComponent(() => import('../features/account/settings-frame.tsx'), 'SettingsFrame'),
})

/** `delete`: id of a user who is back from logging in again before deleting the account. */
const account = createRoute({
  getParentRoute: () => settings,
  path: '/',
  validateSearch: (search: Search): { readonly delete?: string } =>
    typeof search.delete === 'string' ? { delete: search.delete.slice(0, 80) } : {},
  component: lazyRouteComponent(() => import('../features/account/account-page.tsx'), 'AccountPage'),
})

const subscription = createRoute({
  getParentRoute: () => settings,
  path: '/subscription',
  component: lazyRouteComponent(() => import('../features/billing/subscription-page.tsx'), 'SubscriptionPage'),
})

const preferences = createRoute({
  getParentRoute: () => settings,
  path: '/preferences',
  component: lazyRouteComponent(() => import('../features/account/preferences-page.tsx'), 'PreferencesPage'),
})

const models = createRoute({
  getParentRoute: () => settings,
  path: '/models',
  component: lazyRouteComponent(() => import('../features/account/models-page.tsx'), 'ModelsPage'),
})

const prompts = createRoute({
  getParentRoute: () => settings,
  path: '/prompts',
  component: lazyRouteComponent(() => import('../features/account/prompts/prompts-page.tsx'), 'PromptsPage'),
})

const memory = createRoute({
  getParentRoute: () => settings,
  path: '/memory',
  component: lazyRouteComponent(() => import('../features/account/memory/memory-page.tsx'), 'MemoryPage'),
})

const usage = createRoute({
  getParentRoute: () => settings,
  path: '/usage',
  component: lazyRouteComponent(() => import('../features/account/usage/usage-page.tsx'), 'UsagePage'),
})

/** `login`: the outcome of a login at a tool server. */
const tools = createRoute({
  getParentRoute: () => settings,
  path: '/tools',
  validateSearch: ({ login }: Search): { readonly login?: string } => (typeof login === 'string' ? { login } : {}),
  component: lazyRouteComponent(() => import('../features/account/tools/tools-page.tsx'), 'ToolsPage'),
})

const appearance = createRoute({
  getParentRoute: () => settings,
  path: '/appearance',
  component: lazyRouteComponent(() => import('../features/account/appearance-page.tsx'), 'AppearancePage'),
})

const data = createRoute({
  getParentRoute: () => settings,
  path: '/data',
  component: lazyRouteComponent(() => import('../features/account/data-page.tsx'), 'DataPage'),
})

const organizations = createRoute({
  getParentRoute: () => live,
  path: '/team',
  component: lazyRouteComponent(() => import('../features/team/team-home.tsx'), 'TeamHome'),
})

const organization = createRoute({
  getParentRoute: () => live,
  path: '/team/$organizationId',
  beforeLoad: ({ params }) => checkId(params.organizationId),
  component: lazyRouteComponent(() => import('../features/team/organization-frame.tsx'), 'OrganizationFrame'),
})

const members = createRoute({
  getParentRoute: () => organization,
  path: '/',
  component: lazyRouteComponent(() => import('../features/team/members-page.tsx'), 'MembersPage'),
})

const teams = createRoute({
  getParentRoute: () => organization,
  path: '/teams',
  component: lazyRouteComponent(() => import('../features/team/teams-page.tsx'), 'TeamsPage'),
})

/** `login`: the outcome of a login at a tool server. */
const organizationTools = createRoute({
  getParentRoute: () => organization,
  path: '/tools',
  validateSearch: ({ login }: Search): { readonly login?: string } => (typeof login === 'string' ? { login } : {}),
  component: lazyRouteComponent(() => import('../features/account/tools/organization-tools-page.tsx'), 'OrganizationToolsPage'),
})

const billing = createRoute({
  getParentRoute: () => organization,
  path: '/billing',
  component: lazyRouteComponent(() => import('../features/team/billing-page.tsx'), 'OrganizationBillingPage'),
})

const organizationSettings = createRoute({
  getParentRoute: () => organization,
  path: '/settings',
  component: lazyRouteComponent(() => import('../features/team/organization-settings-page.tsx'), 'OrganizationSettingsPage'),
})

export const routeTree = root.addChildren([
  login,
  magicLink,
  loggedOut,
  invitation,
  live.addChildren([
    chat.addChildren([newThread, thread, project, projectFiles, projectInstructions]),
    archive,
    bookmarks,
    projects,
    continueShare,
    settings.addChildren([account, subscription, usage, preferences, models, prompts, memory, tools, appearance, data]),
    organizations,
    organization.addChildren([members, teams, organizationTools, billing, organizationSettings]),
  ]),
])
