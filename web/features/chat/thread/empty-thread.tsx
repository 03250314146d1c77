/** The greeting and the suggestions of a new thread without messages. */

import { Link, useSearch } from '@tanstack/react-router'
import { History, X } from 'lucide-react'
import { useState } from 'react'
import { greetingAt, greetingsFor, promptsOfLowWindow, starterPrompts } from '../../../../worker/contract/display-names.ts'
import { threadPageSize } from '../../../../worker/contract/limits.ts'
import { newDraftKey } from '../../../../worker/contract/threads/draft-key.ts'
import { cx } from '../../../lib/cx.ts'
import { hasFirstPaint } from '../../../lib/first-paint.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { lazyPart } from '../../../lib/lazy-part.ts'
import { useStore } from '../../../lib/store.ts'
import { useMe, useThreadList } from '../../../sync/hooks.ts'
import type { ProjectRow } from '../../../sync/rows.ts'
import { composerField } from '../composer/composer-field.tsx'
import { draftOf, setDraft } from '../composer/drafts.ts'
import { t } from './texts/en.ts'

const ProjectIcon = lazyPart(
  () => import('../../../ui/project-icon.tsx').then((module) => module.ProjectIcon),
  <span className="size-4 shrink-0" />,
)

/** Above the composer of a new thread. Takes the upper share of the free height, so that the composer stands a little above the middle. */
export function Greeting({ project }: { readonly project: ProjectRow | undefined }) {
  const me = useMe()
  return (
    <div className="flex grow flex-col justify-end px-6 pb-7 text-center max-md:justify-center">
      <h1 className="overflow-hidden text-2xl font-medium tracking-tight text-balance text-ellipsis">
        {greetingAt(greetingsFor(me, firstPaintText), new Date().getHours())}
      </h1>
      {project && (
        <p className="mt-2 flex items-center justify-center gap-2 text-muted-foreground">
          <ProjectIcon icon={project.icon} color={project.color} />
          <Link
            to="/project/$projectId"
            params={{ projectId: project.id }}
            className="min-w-0 truncate hover:text-foreground hover:underline"
          >
            {project.name}
          </Link>
          <Link
            to="/"
            aria-label={t('startOutside', { project: project.name })}
            className="touch-target rounded-md p-0.5 hover:text-foreground"
          >
            <X aria-hidden="true" className="size-4" />
          </Link>
        </p>
      )}
    </div>
  )
}

const chipClass =
  'min-h-9 max-w-full truncate rounded-full border px-3.5 py-1.5 text-sm text-muted-foreground transition-colors hover:bg-foreground/5 hover:text-foreground touch:min-h-11'

/** Prompts to start with and the last thread. Hidden while the composer holds a draft. */
export function Starters() {
  const draftKey = newDraftKey(useSearch({ strict: false }).temporary === true)
  const { text, files, uploading } = useStore(draftOf(draftKey))
  const { threads } = useThreadList(threadPageSize)
  // The first paint shows them already.
  const [isNew] = useState(() => !hasFirstPaint())
  if (text !== '' || files.length > 0 || uploading.length > 0) return null
  const [last] = threads
  return (
    // On a phone above the composer, without moving the greeting, and hidden while the keyboard is open.
    <div className="relative max-md:h-0 max-md:[main:has(textarea:focus)_&]:hidden">
      <div
        className={cx(
          'mx-auto flex w-full max-w-[36rem] flex-wrap justify-center gap-2 px-3 max-md:absolute max-md:inset-x-0 max-md:bottom-0 max-md:pb-3 md:px-6',
          isNew && 'animate-appear',
        )}
      >
        {starterPrompts(firstPaintText).map((prompt, index) => (
          <button
            key={prompt}
            type="button"
            className={cx(chipClass, index >= promptsOfLowWindow && '[@media(max-height:44rem)]:hidden')}
            onClick={() => fillComposer(draftKey, prompt)}
          >
            {prompt}
          </button>
        ))}
        {last && (
          <Link to="/$threadId" params={{ threadId: last.id }} className={`${chipClass} inline-flex items-center gap-2`}>
            <History aria-hidden="true" className="size-3.5 shrink-0" />
            {firstPaintText('continueLast')}
          </Link>
        )}
      </div>
    </div>
  )
}

function fillComposer(draftKey: string, text: string): void {
  setDraft(draftKey, { text })
  // Also on touch devices: the user continues with the text. At its end, because the prompt is often extended.
  const field = composerField()
  field?.focus({ preventScroll: true })
  requestAnimationFrame(() => field?.setSelectionRange(text.length, text.length))
}
