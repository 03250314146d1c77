/**
 * The first paint: markup in the served page that shows before any script has loaded. It looks like the first render of the page and has the
 * classes of the components that it stands for; `tests/e2e/long/first-paint.test.ts` compares the two. `web/lib/first-paint.ts` removes it.
 */
import { html, raw } from 'hono/html'
import { creditState, creditsFor, type Plan } from '../contract/access.ts'
import { greetingsFor, initialOf, isNameless, nameOf, titleOf } from '../contract/display-names.ts'
import { type FirstPage, planOfRows, type ThreadEnd, type ThreadProject } from '../contract/first-page.ts'
import type { FirstPaintText } from '../contract/first-paint-text.ts'
import type { Language } from '../contract/languages.ts'
import { creditsPerDay } from '../contract/limits.ts'
import type { RowOf } from '../contract/schema.ts'
import { starterPrompt } from '../contract/starter-prompts.ts'
import { recentThreads, type Starter, startersFor, startersOfLowWindow } from '../contract/starters.ts'
import { newDraftKey } from '../contract/threads/draft-key.ts'
import { isFoldedMessage } from '../contract/threads/folded-message.ts'
import { textOf } from '../contract/threads/messages.ts'
import { newestProjects } from '../contract/threads/projects.ts'
import { groupThreads, sidebarOrder } from '../contract/threads/thread-groups.ts'
import { answerHtml } from './answer-html.ts'
import { type Features, productName, scriptJson } from './page-settings.ts'

type FirstPaintOptions = {
  /** Null for a visitor without a session. */
  readonly page: FirstPage | null
  /** Null on the page of a new thread. */
  readonly threadId: string | null
  /** The URL asks for a temporary thread. */
  readonly isTemporary: boolean
  readonly features: Pick<Features, 'search' | 'files' | 'billing' | 'signIn'>
  readonly isApple: boolean
  readonly nonce: string
  readonly nowMs: number
  readonly language: Language
  readonly text: FirstPaintText
}

type Html = ReturnType<typeof html>

/** Not in a template: compilers rewrite a tagged template that contains it, and import a helper that the tests in workerd cannot load. */
export const endOfScript = raw('</script>')

/** Chosen: more rows than a tall window shows. */
const maxRows = 60

export async function firstPaint({
  page,
  threadId,
  isTemporary,
  features,
  isApple,
  nonce,
  nowMs,
  language,
  text,
}: FirstPaintOptions): Promise<string> {
  const viewer = page && viewerOf(page, nowMs)
  const thread = page?.thread ?? page?.threads.find(({ id }) => id === threadId)
  const greetings = greetingsFor(viewer, text)
  const plan = viewer?.plan ?? 'guest'
  const lead = plan === 'guest' && !isTemporary ? text('homeLead', { credits: `${creditsPerDay.guest}` }) : null
  const cards = starters(page, startersFor(features, plan, text), { isTemporary, language, text })
  return String(
    await html`<div id="first-paint" class="fixed inset-0 z-40 flex overflow-hidden bg-background">
<div data-sidebar class="flex w-(--width-sidebar) shrink-0 flex-col border-r bg-surface max-md:hidden">${sidebar(page, viewer, threadId, { isApple, nowMs, text })}</div>
<div class="relative flex min-w-0 flex-1 flex-col ${isTemporary ? 'bg-temporary' : ''}">
${threadId === null ? floatingBar() : threadHeader(thread, page?.thread?.project, text)}
${threadId === null ? html`${plan === 'guest' && features.signIn.length > 0 ? signInLinks(text) : ''}${greeting(lead, isNameless(viewer) && !isTemporary)}<div class="relative h-0 md:hidden">${cards}</div>` : conversation(page?.thread ?? null, text)}
${composer(viewer && page?.thread?.model ? { ...viewer, model: page.thread.model } : viewer, threadId, { isTemporary, features, text })}
${threadId === null ? html`<div class="h-0 grow-[1.3] max-md:hidden ${isTemporary ? 'pt-10' : ''}">${cards}</div>` : ''}
</div></div>
<script nonce="${nonce}">(${raw(fitToBrowser)})(${raw(scriptJson(greetings))})${endOfScript}`,
  )
}

/** The header of the page for logging in (`web/features/sign-in/sign-in-frame.tsx`). Its text field comes with the app. */
export const loginPaint = async (text: FirstPaintText): Promise<string> =>
  String(
    await html`<div id="first-paint" class="fixed inset-0 z-40 bg-background"><header class="mx-auto flex max-w-sm flex-col gap-2 px-5 pt-[20dvh] text-center">
<span class="mx-auto mb-1 flex size-11 items-center justify-center"><img src="/favicon.svg" alt="" width="36" height="36"></span>
<h1 class="text-title text-balance">${text('logInTitle')}</h1><p class="text-muted-foreground text-pretty">${text('logInLead')}</p>
</header></div>`,
  )

/**
 * Runs before the first paint: the hour, a closed sidebar or list of projects, a draft and the scroll position are known to the browser only. A message that is
 * sent before the composer is drawn is marked, and the composer sends it. The first gesture is marked too (`web/lib/lazy-part.ts`),
 * but no movement, because browsers report one for a pointer that rests over a new page. The page holds the lock of the page that the tab showed
 * before, so that another tab does not adopt the unsent changes of that page (`web/lib/previous-page.ts`).
 */
const fitToBrowser = `(greetings) => {
  const root = document.getElementById('first-paint')
  for (const gesture of ['pointerdown', 'touchstart', 'keydown', 'input'])
    addEventListener(gesture, () => { root.dataset.hasGesture = '' }, { once: true, passive: true })
  const find = (name) => document.querySelector('#first-paint [data-' + name + ']')
  const field = find('draft-key')
  const send = () => { if (field.value.trim()) field.dataset.isSent = '' }
  find('send').onclick = send
  field.onkeydown = (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || field.dataset.enter === 'new-line') return
    event.preventDefault()
    if (!event.repeat) send()
  }
  for (const prompt of document.querySelectorAll('#first-paint [data-prompt]')) {
    prompt.onclick = () => {
      root.dataset.starter = prompt.dataset.starter
      if (!prompt.dataset.prompt) return
      field.value = prompt.dataset.prompt
      field.dispatchEvent(new Event('input'))
      field.focus({ preventScroll: true })
    }
  }
  if (matchMedia('(pointer: fine)').matches) field.focus({ preventScroll: true })
  const conversation = find('conversation')
  // Before the first frame is painted, without a layout of its own.
  if (conversation)
    requestAnimationFrame(() => conversation.toggleAttribute('data-scrolled', conversation.scrollHeight > conversation.clientHeight))
  const greeting = find('greeting')
  if (greeting) greeting.textContent = greetings.find(({ beforeHour }) => new Date().getHours() < beforeHour).text
  try {
    field.dataset.enter = localStorage.getItem('parley:enter')
    if (localStorage.getItem('parley:sidebar') === 'closed') {
      find('sidebar').remove()
      root.dataset.isClosed = ''
    }
    if (localStorage.getItem('parley:projects') === 'closed') root.dataset.isFolded = ''
    if (Object.keys(localStorage).some((key) => key.startsWith('parley:draft:new.'))) root.dataset.hasDraft = ''
    const [previousPage] = JSON.parse(sessionStorage.getItem('parley:previous-page') ?? '[]')
    if (previousPage) navigator.locks?.request('parley:page:' + previousPage, () => new Promise(() => {})).catch(() => {})
    const places = JSON.parse(sessionStorage.getItem('parley:places') ?? '[]')
    if (places.some(([entry]) => entry === history.state?.__TSR_key)) conversation?.replaceChildren()
  } catch {}
}`

type Viewer = {
  readonly user: RowOf<'user'>
  readonly setting: RowOf<'setting'> | null
  readonly usage: RowOf<'usage'> | null
  readonly model: RowOf<'model'> | null
  readonly plan: Plan
}

function viewerOf(page: FirstPage, nowMs: number): Viewer | null {
  const { user, settings: setting, usage, model } = page
  return user && { user, setting, usage, model, plan: planOfRows(page, nowMs) }
}

const iconButton = (name: IconName, className = 'size-9 [&_svg]:size-4') =>
  html`<span class="inline-flex shrink-0 items-center justify-center rounded-lg text-muted-foreground ${className}">${icon(name, '')}</span>`

const rowClass = 'flex h-8 w-full items-center gap-2.5 rounded-lg px-2.5 touch:h-11'

function sidebar(
  page: FirstPage | null,
  viewer: Viewer | null,
  openId: string | null,
  { isApple, nowMs, text }: Pick<FirstPaintOptions, 'isApple' | 'nowMs' | 'text'>,
): Html {
  const threads = page?.threads.slice(0, maxRows) ?? []
  const groups = groupThreads(sidebarOrder(threads), nowMs)
  return html`<div class="flex items-center justify-between pt-[max(0.625rem,env(safe-area-inset-top))] pr-2 pb-2 pl-4">
<div class="flex items-center gap-2 text-base font-semibold tracking-tight">${logo()}${productName}</div>${iconButton('panel-left')}
</div>
<div class="flex flex-col gap-0.5 px-2 pt-1">
<div class="${rowClass}">${icon('square-pen', 'size-4 text-accent')}${text('newThread')}</div>
<div class="${rowClass} text-muted-foreground">${icon('search', 'size-4')}<span class="flex-1">${text('findAnything')}</span><span class="font-mono text-xs touch:hidden">${isApple ? '⌘K' : `${text('controlKey')} K`}</span></div>
</div>
<div class="min-h-0 flex-1 overflow-y-auto px-2 pb-3"><div class="flex flex-col gap-0.5 pt-0.5">${projects(page, openId, text)}${sidebarRow('bookmark', text('bookmarks'))}${sidebarRow('archive', text('archive'))}</div>${groups.map(
    ({ name, threads }) =>
      html`<div class="px-2.5 pt-4 pb-1.5 text-xs font-medium text-muted-foreground">${text(name)}</div>${threads.map((thread) =>
        threadRow(
          thread,
          page?.projects.find(({ id }) => id === thread.projectId),
          openId,
          text,
        ),
      )}`,
  )}</div>
<div class="border-t px-2 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">${viewer ? account(viewer, nowMs, text) : skeleton('h-11')}</div>`
}

const sidebarRow = (name: IconName, label: string) =>
  html`<div class="${rowClass} text-muted-foreground">${icon(name, 'size-4')}${label}</div>`

/** The user may have hidden the newest ones; see `fitToBrowser`. */
function projects(page: FirstPage | null, openId: string | null, text: FirstPaintText): Html {
  const newest = newestProjects(page?.projects ?? [])
  const all = sidebarRow('folders', text('projects'))
  if (newest.length === 0) return all
  const openThread = page?.thread ?? page?.threads.find(({ id }) => id === openId)
  return html`<div class="relative">${all}<div class="absolute inset-y-0 right-0.5 flex items-center touch:right-2">${iconButton('chevron-down', 'size-7 [&_svg]:size-3.5 [#first-paint[data-is-folded]_&]:-rotate-90')}</div></div>
<div class="flex flex-col gap-0.5 [#first-paint[data-is-folded]_&]:hidden">${newest.map(
    (project) =>
      html`<div class="${rowClass} pl-9 ${openId !== null && project.id === openThread?.projectId ? 'bg-foreground/5 font-medium' : 'text-muted-foreground'}">${projectIcon(project)}<span dir="auto" class="min-w-0 flex-1 truncate">${project.name}</span></div>`,
  )}</div>`
}

/** As `web/ui/project-icon.tsx` draws it. */
const projectIcon = ({ icon: name, color }: ThreadProject, size = 'size-4') =>
  html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" data-hue="${color ?? 'gray'}" class="${size} shrink-0"><use href="/icons/projects.svg#${name ?? 'folder'}"/></svg>`

const threadRow = (thread: RowOf<'thread'>, project: ThreadProject | undefined, openId: string | null, text: FirstPaintText) =>
  html`<div class="relative flex h-8 items-center rounded-lg pr-2 pl-2.5 touch:h-11 touch:pr-9 ${thread.id === openId ? 'bg-foreground/9 text-foreground font-medium' : 'text-foreground/85'}"><span dir="auto" class="min-w-0 flex-1 truncate ${thread.title ? '' : 'text-muted-foreground'}">${titleOf(thread, text)}</span>${project ? html`<span data-hue="${project.color ?? 'gray'}" class="order-first mr-2 size-1.5 shrink-0 rounded-full bg-current"></span>` : ''}</div>`

function account(viewer: Viewer, nowMs: number, text: FirstPaintText): Html {
  const name = nameOf(viewer, text)
  const { left, limit, warn } = creditState(viewer.plan, viewer.usage, nowMs)
  return html`<div class="flex w-full items-center gap-2.5 rounded-lg p-1.5 touch:min-h-11">
<span class="flex size-8 shrink-0 items-center justify-center rounded-full bg-accent/14 font-semibold text-accent">${initialOf(name)}</span>
<span class="relative min-w-0 flex-1"><span class="flex items-center gap-1.5 leading-4 font-medium"><span class="min-w-0 truncate">${name}</span><span class="shrink-0 rounded-sm border px-1 text-xs leading-3.5 ${viewer.plan === 'pro' ? 'text-accent' : 'text-muted-foreground'}">${text(viewer.plan)}</span></span><span class="block truncate text-xs ${warn ? 'text-warning' : 'text-muted-foreground'}">${text('creditsLeft', { credits: left })}</span>${warn ? html`<svg aria-hidden="true" class="absolute inset-x-0 -bottom-1 h-0.5 w-full rounded-full bg-foreground/10"><rect width="${100 - (100 * left) / limit}%" height="100%" class="fill-warning"/></svg>` : ''}</span>
${icon('chevrons-up-down', 'mr-1 size-3.5 text-muted-foreground')}</div>`
}

const skeleton = (className: string) => html`<span class="block animate-breathe rounded-md bg-foreground/8 ${className}"></span>`

/** Hides a part while the sidebar is open. Only a wide window has it beside the page. */
const besideSidebar = '[#first-paint:not([data-is-closed])_&]:md:hidden'

const floatingBar = () =>
  html`<div class="absolute inset-x-0 top-0 z-5 h-(--header-height) ${besideSidebar}"><div class="flex h-full items-center gap-0.5 px-2 pt-[env(safe-area-inset-top)] touch:gap-3 touch:px-3.5">${iconButton('panel-left')}${iconButton('square-pen')}</div></div>`

/** The marks come with the app. */
function threadHeader(thread: RowOf<'thread'> | undefined, project: ThreadProject | null | undefined, text: FirstPaintText): Html {
  const shown = thread?.expiresAt == null ? thread : undefined
  return html`<div data-thread-header class="absolute inset-x-0 top-0 z-6 grid h-(--header-height) grid-cols-[minmax(max-content,1fr)_minmax(0,auto)_minmax(max-content,1fr)] items-center border-b border-transparent bg-background/86 max-md:gap-x-1 px-2 pt-[env(safe-area-inset-top)] backdrop-blur-md touch:px-3.5 md:flex [#first-paint:has([data-scrolled])_&]:border-border [#first-paint:not([data-is-closed])_&]:md:px-4">
<div class="flex items-center gap-0.5 touch:gap-3">${iconButton('panel-left', `size-9 [&_svg]:size-4 ${besideSidebar}`)}${iconButton('square-pen', `size-9 [&_svg]:size-4 max-md:hidden ${besideSidebar}`)}</div>
<div class="flex min-w-0 items-center justify-center">${project ? html`<div class="flex h-8 min-w-0 items-center gap-1.5 px-2 text-muted-foreground max-md:hidden">${projectIcon(project)}<span dir="auto" class="max-w-[20ch] truncate">${project.name}</span></div><span class="mx-0.5 text-muted-foreground before:content-['/'] max-md:hidden"></span>` : ''}${shown ? html`<div class="flex h-8 max-w-[52ch] min-w-0 items-center gap-1 px-2 font-medium ${project ? 'max-md:h-11' : ''}"><span class="min-w-0">${project ? html`<span class="flex items-center justify-center gap-1 text-xs font-normal text-muted-foreground md:hidden">${projectIcon(project, 'size-3')}<span dir="auto" class="truncate">${project.name}</span></span>` : ''}<span dir="auto" class="block truncate max-md:text-center">${titleOf(shown, text)}</span></span>${icon('chevron-down', 'size-3.5 shrink-0 text-muted-foreground')}</div>` : ''}</div>
<div class="ml-auto flex shrink-0 items-center">${shown ? html`<span class="flex h-8 items-center gap-2 px-2.5 text-sm font-medium max-md:hidden">${icon('share', 'size-4')}${text('share')}</span>` : ''}${iconButton('square-pen', 'size-9 [&_svg]:size-4 md:hidden')}</div>
</div>`
}

/** `lead`: for guests, what the product is. `hasQuestion`: the page asks for the name, in a place of the same size. */
const greeting = (lead: string | null, hasQuestion: boolean) =>
  html`<div class="flex grow flex-col justify-end px-6 pb-7 text-center max-md:justify-center">${logo('mx-auto mb-3 size-8')}<h1 data-greeting class="overflow-hidden text-title text-balance text-ellipsis"></h1>${lead === null ? '' : html`<p class="mt-2 text-base leading-6 text-muted-foreground text-balance">${lead}</p>`}${hasQuestion ? html`<div class="mt-3 h-9 touch:h-11 low:hidden"></div>` : ''}</div>`

const starterIcons = { compare: 'columns-3', research: 'telescope', file: 'paperclip', write: 'square-pen' } as const

const cardClass = 'flex h-18 min-w-0 items-start gap-3 rounded-xl border px-3.5 py-3 text-left max-md:w-64 max-md:shrink-0'

const cardText = (title: string, detail: string, locked = '') =>
  html`<span class="min-w-0 flex-1"><span class="flex items-center gap-1.5 text-sm leading-5 font-medium"><span dir="auto" class="min-w-0 truncate">${title}</span>${locked && html`<span class="text-xs text-accent">${locked}</span>`}</span><span class="block truncate text-[0.8125rem] leading-5 text-muted-foreground">${detail}</span></span>`

const cardIcon = (name: IconName) => icon(name, 'mt-0.5 size-4 shrink-0 text-accent')

const recentLink = (thread: RowOf<'thread'>, text: FirstPaintText) =>
  html`<a href="/${thread.id}" class="flex h-9 items-center gap-3 rounded-lg px-3.5 text-sm"><span dir="auto" class="min-w-0 flex-1 truncate">${titleOf(thread, text)}</span></a>`

/** Hidden while there is text, and on a phone while its keyboard is open. The ages of the threads come with the app. */
function starters(
  page: FirstPage | null,
  cards: readonly Starter[],
  { isTemporary, language, text }: Pick<FirstPaintOptions, 'isTemporary' | 'language' | 'text'>,
): Html {
  const recent = isTemporary ? [] : (page?.threads.slice(0, recentThreads) ?? [])
  const [last] = recent
  return html`<div class="mx-auto w-full max-w-reading max-md:absolute max-md:inset-x-0 max-md:bottom-0 md:px-6 [#first-paint:is([data-has-draft],:has(textarea:not(:placeholder-shown)))_&]:hidden max-md:[#first-paint:has(textarea:focus)_&]:hidden">
<div class="grid grid-cols-2 gap-2 max-md:flex max-md:overflow-x-auto max-md:px-3 max-md:pb-3">${last ? html`<a href="/${last.id}" class="${cardClass} md:hidden">${cardIcon('message-square')}${cardText(titleOf(last, text), text('continueLast'))}</a>` : ''}${cards.map(
    ({ id, title, detail, isLocked }, index) =>
      html`<button type="button" data-starter="${id}" data-prompt="${isLocked ? '' : starterPrompt(id, language)}" class="${cardClass} ${index < startersOfLowWindow ? '' : 'md:[@media(max-height:44rem)]:hidden'}">${cardIcon(starterIcons[id])}${cardText(title, detail, isLocked ? text('pro') : '')}</button>`,
  )}</div>
${recent.length > 0 ? html`<div class="mt-4 max-md:hidden [@media(max-height:52rem)]:hidden"><div class="px-3.5 pb-1 text-xs font-medium text-muted-foreground">${text('recentThreads')}</div>${recent.map((thread) => recentLink(thread, text))}</div>` : ''}
</div>`
}

/** At the top of the page of a guest. */
const signInLinks = (text: FirstPaintText) =>
  html`<div class="absolute top-0 right-4 z-6 flex h-(--header-height) items-center gap-2 pt-[env(safe-area-inset-top)] max-sm:gap-1"><a href="/login" class="${linkClass} max-[22rem]:hidden">${text('logIn')}</a><a href="/login" class="${linkClass} bg-accent text-accent-foreground">${text('signUp')}</a></div>`

const linkClass =
  'inline-flex h-9 shrink-0 items-center justify-center rounded-lg px-3.5 text-sm font-medium whitespace-nowrap max-sm:px-2.5'

/** The end of the thread. A reversed column shows its end without a script, and the margin moves a short thread to the top. */
const conversation = (thread: ThreadEnd | null, text: FirstPaintText) =>
  html`<div data-conversation class="flex min-h-0 flex-1 flex-col-reverse overflow-x-hidden overflow-y-auto [scrollbar-gutter:stable_both-edges]"><div class="mx-auto mb-auto w-full max-w-reading px-4 pt-[calc(var(--header-height)+1.25rem)] pb-5 md:px-6 md:pt-[calc(var(--header-height)+2.5rem)]">${thread?.messages.map((row, index, rows) => message(row, rows[index + 1], text))}</div></div>`

/** The buttons of a message, in the gap below it, come with the app. */
function message({ message }: RowOf<'message'>, next: RowOf<'message'> | undefined, label: FirstPaintText): Html {
  const text = textOf(message)
  if (message.role === 'user') {
    const isFolded = isFoldedMessage(text)
    const bubble = html`<div class="max-w-[85%] min-w-0 rounded-2xl bg-muted px-4 py-2.5"><p dir="auto" class="text-base leading-6 wrap-anywhere whitespace-pre-wrap [unicode-bidi:plaintext] ${isFolded ? 'max-h-96 overflow-hidden mask-b-from-80%' : ''}">${text}</p>${isFolded ? html`<div class="mt-1 h-7"></div>` : ''}</div>`
    return html`<article aria-label="${label('yourMessage')}" class="flex flex-col items-end ${next?.message.role === 'user' ? 'pb-12' : 'pb-5'}">${text === '' ? '' : bubble}</article>`
  }
  return html`<article aria-label="${label('answer')}" class="pb-12"><div class="md"><div class="md-group">${raw(answerHtml(text, label('image')))}</div></div></article>`
}

function composer(
  viewer: Viewer | null,
  threadId: string | null,
  { isTemporary, features, text }: Pick<FirstPaintOptions, 'isTemporary' | 'features' | 'text'>,
): Html {
  const model = viewer?.model
  const hasOptions = features.search || features.files
  return html`<div class="relative mx-auto w-full max-w-reading shrink-0 px-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] md:px-6 md:pb-5"><div class="rounded-2xl bg-raised ${isTemporary ? 'outline-1 -outline-offset-1 outline-control outline-dashed focus-within:outline-2' : 'shadow-composer focus-within:shadow-[0_0_0_1px_var(--control),0_6px_20px_-8px_rgb(0_0_0/0.18)]'}">
<textarea aria-label="${text('message')}" dir="auto" rows="1" data-draft-key="${threadId ?? newDraftKey(isTemporary)}" placeholder="${text(threadId === null ? 'writeMessage' : 'writeReply')}" class="block field-sizing-content max-h-[40dvh] min-h-12 w-full resize-none overflow-y-auto bg-transparent px-4 pt-3.5 pb-1 text-base leading-6 outline-none placeholder:text-muted-foreground"></textarea>
<div class="@container flex flex-wrap items-center gap-2 p-2 pl-2.5 max-sm:gap-1 max-sm:pl-1.5">
<div class="flex max-w-full min-w-0 items-center"><span class="flex h-9 min-w-0 items-center gap-2 rounded-lg px-2 text-sm text-muted-foreground">${model ? html`<span class="size-4 shrink-0"></span>` : ''}<span class="min-w-0 max-w-72 truncate">${model?.name ?? skeleton('h-4 w-20')}</span>${icon('chevrons-up-down', 'size-3.5 shrink-0 opacity-60 @max-2xl:hidden')}</span></div>
<div class="flex flex-1 items-center gap-2 max-sm:gap-1">${viewer ? html`${features.search ? toolsButton(text) : ''}${hasOptions ? iconButton('plus', 'size-9 [&_svg]:size-5 sm:hidden') : ''}` : ''}<span class="flex-1"></span>${features.files ? iconButton('paperclip', 'size-9 [&_svg]:size-4 max-sm:hidden') : ''}${model ? price(creditsFor(model), text) : html`<span class="invisible">${price(1, text)}</span>`}<button type="button" data-send aria-label="${text('sendMessage')}" class="inline-flex size-9 shrink-0 items-center justify-center rounded-lg bg-foreground/10 text-foreground *:opacity-50 [&_svg]:size-4">${icon('arrow-up', '')}</button></div>
</div></div></div>`
}

/** As the button of `web/features/chat/composer/tools-menu.tsx`. */
const toolsButton = (text: FirstPaintText) =>
  html`<span class="flex h-9 shrink-0 items-center gap-1.5 px-2 text-sm text-muted-foreground max-sm:hidden">${icon('wrench', 'size-4')}<span class="@max-2xl:hidden">${text('tools')}</span></span>`

const price = (credits: number, text: FirstPaintText) =>
  html`<span class="text-xs whitespace-nowrap text-muted-foreground">${icon('coins', 'mr-1 inline size-3.5 align-[-0.2em] @2xl:hidden')}${credits} <span class="@max-2xl:sr-only">${text('creditUnit', { credits })}</span></span>`

/** The icons of the first paint. Shapes of Lucide (ISC license), as `lucide-react` draws them in the page. */
const shapes = {
  archive: '<rect width="20" height="5" x="2" y="3" rx="1"/><path d="M4 8v11a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V8"/><path d="M10 12h4"/>',
  'arrow-up': '<path d="m5 12 7-7 7 7"/><path d="M12 19V5"/>',
  bookmark:
    '<path d="M17 3a2 2 0 0 1 2 2v15a1 1 0 0 1-1.496.868l-4.512-2.578a2 2 0 0 0-1.984 0l-4.512 2.578A1 1 0 0 1 5 20V5a2 2 0 0 1 2-2z"/>',
  'chevron-down': '<path d="m6 9 6 6 6-6"/>',
  'chevrons-up-down': '<path d="m7 15 5 5 5-5"/><path d="m7 9 5-5 5 5"/>',
  'columns-3': '<rect width="18" height="18" x="3" y="3" rx="2"/><path d="M9 3v18"/><path d="M15 3v18"/>',
  coins:
    '<path d="M13.744 17.736a6 6 0 1 1-7.48-7.48"/><path d="M15 6h1v4"/><path d="m6.134 14.768.866-.5 2 3.464"/><circle cx="16" cy="8" r="6"/>',
  folders:
    '<path d="M20 5a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h2.5a1.5 1.5 0 0 1 1.2.6l.6.8a1.5 1.5 0 0 0 1.2.6z"/><path d="M3 8.268a2 2 0 0 0-1 1.738V19a2 2 0 0 0 2 2h11a2 2 0 0 0 1.732-1"/>',
  'message-square':
    '<path d="M22 17a2 2 0 0 1-2 2H6.828a2 2 0 0 0-1.414.586l-2.202 2.202A.71.71 0 0 1 2 21.286V5a2 2 0 0 1 2-2h16a2 2 0 0 1 2 2z"/>',
  'panel-left': '<rect width="18" height="18" x="3" y="3" rx="2"/><path d="M9 3v18"/>',
  paperclip:
    '<path d="m16 6-8.414 8.586a2 2 0 0 0 2.829 2.829l8.414-8.586a4 4 0 1 0-5.657-5.657l-8.379 8.551a6 6 0 1 0 8.485 8.485l8.379-8.551"/>',
  plus: '<path d="M5 12h14"/><path d="M12 5v14"/>',
  search: '<path d="m21 21-4.34-4.34"/><circle cx="11" cy="11" r="8"/>',
  share: '<path d="M12 2v13"/><path d="m16 6-4-4-4 4"/><path d="M4 12v8a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-8"/>',
  'square-pen':
    '<path d="M12 3H5a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h14a2 2 0 0 0 2-2v-7"/><path d="M18.375 2.625a1 1 0 0 1 3 3l-9.013 9.014a2 2 0 0 1-.853.505l-2.873.84a.5.5 0 0 1-.62-.62l.84-2.873a2 2 0 0 1 .506-.852z"/>',
  telescope:
    '<path d="m10.065 12.493-6.18 1.318a.934.934 0 0 1-1.108-.702l-.537-2.15a1.07 1.07 0 0 1 .691-1.265l13.504-4.44"/><path d="m13.56 11.747 4.332-.924"/><path d="m16 21-3.105-6.21"/><path d="M16.485 5.94a2 2 0 0 1 1.455-2.425l1.09-.272a1 1 0 0 1 1.212.727l1.515 6.06a1 1 0 0 1-.727 1.213l-1.09.272a2 2 0 0 1-2.425-1.455z"/><path d="m6.158 8.633 1.114 4.456"/><path d="m8 21 3.105-6.21"/><circle cx="12" cy="13" r="2"/>',
  wrench:
    '<path d="M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.106-3.105c.32-.322.863-.22.983.218a6 6 0 0 1-8.259 7.057l-7.91 7.91a1 1 0 0 1-2.999-3l7.91-7.91a6 6 0 0 1 7.057-8.259c.438.12.54.662.219.984z"/>',
} as const

type IconName = keyof typeof shapes

export const icon = (name: IconName, className: string) =>
  html`<svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" class="${className}">${raw(shapes[name])}</svg>`

export const logo = (className = 'size-5') =>
  html`<svg viewBox="0 0 20 20" aria-hidden="true" class="${className}"><path d="M3.5 17.5V5A2.5 2.5 0 0 1 6 2.5h4.75a5.25 5.25 0 0 1 0 10.5H8z" fill="currentColor"/><circle cx="15.5" cy="15.5" r="2" class="fill-accent"/></svg>`
