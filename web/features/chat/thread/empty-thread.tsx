/** The page of a new thread without messages: greeting, starting points and the newest threads. */

'use no memo' // Renders rarely: in the first load, the caches of the compiler would cost more than they save.
import { Link, useSearch } from '@tanstack/react-router'
import { Columns3, MessageSquare, Paperclip, SquarePen, Telescope } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { greetingAt, greetingsFor, isNameless, titleOf } from '../../../../worker/contract/display-names.ts'
import { creditsPerDay, threadPageSize } from '../../../../worker/contract/limits.ts'
import { recentThreads, type Starter, startersFor, startersOfLowWindow } from '../../../../worker/contract/starters.ts'
import { newDraftKey } from '../../../../worker/contract/threads/draft-key.ts'
import { cx } from '../../../lib/cx.ts'
import { hasFirstPaint, takePressedStarter } from '../../../lib/first-paint.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { lazyPart } from '../../../lib/lazy-part.ts'
import { useLoginSearch } from '../../../lib/navigation.ts'
import { canLogIn, pageSettings } from '../../../lib/page-settings.ts'
import { useStore } from '../../../lib/store.ts'
import { useMe, useModels, useThreadList } from '../../../sync/hooks.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Logo } from '../../../ui/logo.tsx'
import { draftOf } from '../composer/drafts.ts'

/** Above the composer of a new thread. Takes the upper share of the free height, so that the composer stands a little above the middle. */
export function Greeting() {
  const me = useMe()
  const { temporary } = useSearch({ strict: false })
  // The question keeps its space after it is answered, so that nothing moves.
  const [hasQuestion] = useState(() => isNameless(me))
  return (
    <div className="flex grow flex-col justify-end px-6 pb-7 text-center max-md:justify-center">
      <Logo className="mx-auto mb-3 size-8" />
      <h1 className="overflow-hidden text-title text-balance text-ellipsis">
        {greetingAt(greetingsFor(me, firstPaintText), new Date().getHours())}
      </h1>
      {temporary !== true && isGuest(me) && (
        <p className="mt-2 text-base leading-6 text-muted-foreground text-balance">
          {firstPaintText('homeLead', { credits: `${creditsPerDay.guest}` })}
        </p>
      )}
      {me && hasQuestion && temporary !== true && (
        <div className="mt-3 h-9 touch:h-11 low:hidden">{isNameless(me) && <NameQuestion defaultName={me.user.name} />}</div>
      )}
    </div>
  )
}

const NameQuestion = lazyPart(() => import('./name-question/name-question.tsx').then((module) => module.NameQuestion))

const isGuest = (me: ReturnType<typeof useMe>): boolean => (me?.plan ?? 'guest') === 'guest'

/** For guests, at the top of the page. The narrowest phones have room for one of them. */
export function SignInLinks() {
  const me = useMe()
  const search = useLoginSearch()
  if (!canLogIn || !isGuest(me)) return null
  return (
    <>
      <Link to="/login" search={search} className={buttonClass({ variant: 'ghost', className: 'max-sm:px-2.5 max-[22rem]:hidden' })}>
        {firstPaintText('logIn')}
      </Link>
      <Link to="/login" search={search} className={buttonClass({ variant: 'primary', className: 'max-sm:px-2.5' })}>
        {firstPaintText('signUp')}
      </Link>
    </>
  )
}

const loadStart = () => import('./start-with.ts')
const icons = { compare: Columns3, research: Telescope, file: Paperclip, write: SquarePen } as const

/** Starting points and the newest threads. Hidden while the composer holds a draft. */
export function Starters() {
  const isTemporary = useSearch({ strict: false }).temporary === true
  const draftKey = newDraftKey(isTemporary)
  const { text, files, uploading } = useStore(draftOf(draftKey))
  const { threads } = useThreadList(threadPageSize)
  const me = useMe()
  const { models } = useModels()
  const starters = startersFor(pageSettings, me?.plan ?? 'guest', firstPaintText)
  // The first paint shows them already.
  const [isNew] = useState(() => !hasFirstPaint())
  const start = (starter: Starter) => void loadStart().then(({ startWith }) => startWith(starter, { draftKey, me, models }))
  const startPressed = useEffectEvent(() => {
    const pressed = takePressedStarter()
    const starter = starters.find(({ id }) => id === pressed)
    if (starter) start(starter)
  })
  const isReady = me !== undefined && models.length > 0
  useEffect(() => void (isReady && startPressed()), [isReady])
  if (text !== '' || files.length > 0 || uploading.length > 0) return null
  const recent = isTemporary ? [] : threads.slice(0, recentThreads)
  const [last] = recent
  return (
    // On a phone above the composer, without moving the greeting, and hidden while the keyboard is open.
    <div className="relative max-md:h-0 max-md:[main:has(textarea:focus)_&]:hidden">
      <div
        className={cx('mx-auto w-full max-w-reading max-md:absolute max-md:inset-x-0 max-md:bottom-0 md:px-6', isNew && 'animate-appear')}
      >
        <div className="grid grid-cols-2 gap-2 max-md:flex max-md:overflow-x-auto max-md:px-3 max-md:pb-3">
          {last && (
            // On a phone the list is out of sight.
            <Link to="/$threadId" params={{ threadId: last.id }} className={cx(cardClass, 'md:hidden')}>
              <MessageSquare aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
              <CardText title={titleOf(last, firstPaintText)} detail={firstPaintText('continueLast')} />
            </Link>
          )}
          {starters.map((starter, index) => {
            const Icon = icons[starter.id]
            return (
              <button
                key={starter.id}
                type="button"
                className={cx(cardClass, index >= startersOfLowWindow && 'md:[@media(max-height:44rem)]:hidden')}
                onClick={() => start(starter)}
              >
                <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
                <CardText title={starter.title} detail={starter.detail} isLocked={starter.isLocked} />
              </button>
            )
          })}
        </div>
        {recent.length > 0 && (
          <nav aria-label={firstPaintText('recentThreads')} className="mt-4 max-md:hidden [@media(max-height:52rem)]:hidden">
            <h2 className="px-3.5 pb-1 text-xs font-medium text-muted-foreground">{firstPaintText('recentThreads')}</h2>
            {recent.map((thread) => (
              <Link
                key={thread.id}
                to="/$threadId"
                params={{ threadId: thread.id }}
                className="flex h-9 items-center gap-3 rounded-lg px-3.5 text-sm transition-colors hover:bg-foreground/5"
              >
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  {titleOf(thread, firstPaintText)}
                </span>
                <Age atMs={thread.updatedAt} />
              </Link>
            ))}
          </nav>
        )}
      </div>
    </div>
  )
}

type CardTextProps = { readonly title: string; readonly detail: string; readonly isLocked?: boolean }

const CardText = ({ title, detail, isLocked = false }: CardTextProps) => (
  <span className="min-w-0 flex-1">
    <span className="flex items-center gap-1.5 text-sm leading-5 font-medium">
      <span dir="auto" className="min-w-0 truncate">
        {title}
      </span>
      {isLocked && <span className="text-xs text-accent">{firstPaintText('pro')}</span>}
    </span>
    <span className="block truncate text-[0.8125rem] leading-5 text-muted-foreground">{detail}</span>
  </span>
)

const cardClass =
  'flex h-18 min-w-0 items-start gap-3 rounded-xl border px-3.5 py-3 text-left transition-colors hover:bg-foreground/4 max-md:w-64 max-md:shrink-0'

const Age = lazyPart(() => import('../../../ui/age.tsx').then((module) => module.Age))
