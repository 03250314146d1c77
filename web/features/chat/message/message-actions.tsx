/** The toolbar in the gap below a message: always visible on touch and below the newest answer, otherwise on hover and focus. */
import {
  Bookmark,
  Check,
  ChevronLeft,
  ChevronRight,
  Coins,
  Ellipsis,
  FileText,
  GitFork,
  Pencil,
  Quote,
  RefreshCw,
  Trash2,
} from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { libText } from '../../../lib/texts/en.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CopyButton, useCopied } from '../../../ui/copy-button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Toolbar } from '../../../ui/toolbar.tsx'
import { ModelMenu, type ModelMenuProps } from '../models/model-menu.tsx'
import { AnswerDetails } from './answer-details.tsx'
import { copiedText, copyButtonId } from './copy-messages.ts'
import { useRegenerateOptions, useRegenerateOptionsWith, useUnseenNote } from './regenerate-options.ts'
import type { ShownMessage, Versions } from './shown-messages.ts'
import { t } from './texts/en.ts'
import { isWholeThread, type MessageActions } from './use-message-actions.ts'

type RowProps = { readonly children: ReactNode; readonly isPinned: boolean; readonly className: string }

/** The place of the toolbar of an answer, in the gap that `Conversation` leaves below each message. */
export const belowAnswer = 'absolute inset-x-0 top-[calc(100%-var(--gap)+0.375rem)] h-7 touch:top-[calc(100%-var(--gap))] touch:h-11'

/**
 * The version and a bookmark stay visible: they are states. The toolbar of a question is higher than its gap, so it lies above the answer
 * only while it is shown.
 */
const shownOnDemand =
  '*:not-data-kept:opacity-0 group-hover/message:z-1 group-hover/message:*:opacity-100! group-focus-within/message:z-1 group-focus-within/message:*:opacity-100! has-aria-expanded:z-1 has-aria-expanded:*:opacity-100! touch:*:opacity-100!'

function Row({ children, isPinned, className }: RowProps) {
  return (
    <Toolbar
      label={t('messageActions')}
      className={cx('flex items-center gap-x-0.5 touch:gap-x-2', isPinned ? 'z-1' : shownOnDemand, className)}
    >
      {children}
    </Toolbar>
  )
}

type UserActionsProps = {
  readonly shown: Extract<ShownMessage, { kind: 'user' }>
  readonly actions: MessageActions
  readonly busyReason: string | undefined
  /** The message has no answer: the answer was deleted or the fork ends here. */
  readonly isLast: boolean
}

export function UserActions({ shown, actions, busyReason, isLast }: UserActionsProps) {
  const isUnanswered = isLast && busyReason === undefined
  return (
    <Row isPinned={isUnanswered} className="relative h-7 touch:h-11">
      <VersionSwitch versions={shown.versions} busyReason={busyReason} onShow={actions.show} />
      {isUnanswered && (
        <IconButton
          size="sm"
          label={t('answerAction')}
          description={descriptionFor(t('answerAction'), t('answerAction'), actions.price)}
          onClick={() => actions.answer(shown)}
        >
          <RefreshCw />
        </IconButton>
      )}
      <CopyButton label={t('copy')} text={() => copiedText(shown.message, publicUrls().apiUrl)} />
      <IconButton size="sm" label={t('edit')} disabledReason={busyReason} onClick={() => actions.edit(shown)}>
        <Pencil />
      </IconButton>
      <BookmarkToggle shown={shown} actions={actions} />
      <MessageMenu shown={shown} actions={actions} busyReason={busyReason} align="end" />
    </Row>
  )
}

type AnswerActionsProps = {
  readonly threadId: string
  readonly shown: Extract<ShownMessage, { kind: 'answer' }>
  readonly actions: MessageActions
  readonly busyReason: string | undefined
  /** The toolbar of the newest answer is always visible. */
  readonly isNewest: boolean
  /** The note above offers Retry, which does the same as Regenerate. */
  readonly isRetryOffered: boolean
}

export function AnswerActions({ threadId, shown, actions, busyReason, isNewest, isRetryOffered }: AnswerActionsProps) {
  const { metadata } = shown.message
  const [isDetailed, setDetailed] = useState(false)
  const options = useRegenerateOptions(shown.message)
  // Planning a research again is free.
  const isPlanned = metadata.mode === 'research'
  return (
    <Row isPinned={isNewest} className={`${belowAnswer} -left-1.5`}>
      <VersionSwitch versions={shown.versions} busyReason={busyReason} onShow={actions.show} />
      <CopyButton id={copyButtonId(shown.id)} label={t('copy')} text={() => copiedText(shown.message, publicUrls().apiUrl)} />
      {!isRetryOffered && (
        <span className="flex">
          <IconButton
            size="sm"
            label={t('regenerate')}
            description={descriptionFor(t('regenerate'), options.named('regenerate'), isPlanned ? undefined : options.price)}
            disabledReason={busyReason}
            onClick={() => actions.regenerate(shown, options)}
          >
            <RefreshCw />
          </IconButton>
          {/* Touch devices show no tooltip. */}
          {options.isSearchDropped && (
            <span aria-hidden="true" className="hidden self-center text-xs whitespace-nowrap text-muted-foreground touch:inline">
              {t('withoutSearch')}
            </span>
          )}
          <OtherModelMenu label={t('regenerateOtherModel')} shown={shown} actions={actions} busyReason={busyReason} />
        </span>
      )}
      <BookmarkToggle shown={shown} actions={actions} />
      <MessageMenu shown={shown} actions={actions} busyReason={busyReason} align="start" onDetails={() => setDetailed(true)} />
      <span className="ml-auto flex min-w-0 items-center gap-1.5 pl-2 text-xs text-muted-foreground">
        <MakerIcon maker={metadata.modelIcon} className="size-3.5" />
        <span className="truncate">{metadata.modelName}</span>
        {metadata.imported && <Badge tooltip={t('importedDescription')}>{t('imported')}</Badge>}
        {metadata.demo && <Badge tooltip={t('demoDescription')}>{t('demo')}</Badge>}
      </span>
      {isDetailed && <AnswerDetails threadId={threadId} message={shown.message} onClose={() => setDetailed(false)} />}
    </Row>
  )
}

type BookmarkToggleProps = { readonly shown: Exclude<ShownMessage, { kind: 'live' }>; readonly actions: MessageActions }

/** The label has the state: `aria-pressed` would announce it twice. */
function BookmarkToggle({ shown, actions: { bookmark } }: BookmarkToggleProps) {
  const { isBookmarked } = shown
  if (!bookmark) return null
  return (
    <IconButton
      size="sm"
      label={t(isBookmarked ? 'removeBookmark' : 'bookmark')}
      data-kept={isBookmarked || undefined}
      className={cx(isBookmarked && 'text-accent!')}
      onClick={() => bookmark(shown)}
    >
      <Bookmark fill={isBookmarked ? 'currentColor' : 'none'} />
    </IconButton>
  )
}

type OtherModelMenuProps = Pick<AnswerActionsProps, 'shown' | 'actions' | 'busyReason'> & Pick<ModelMenuProps, 'label' | 'isLabelShown'>

/** Answers the same message again with a selected model. */
export function OtherModelMenu({ shown, actions, busyReason, ...labels }: OtherModelMenuProps) {
  return <ModelMenu {...labels} disabledReason={busyReason} {...useOtherModel(shown, actions)} />
}

type OtherModel = Pick<ModelMenuProps, 'selectedId' | 'onChoose'> & { readonly noteOf: (model: ModelRow) => string | undefined }

export function useOtherModel(shown: OtherModelMenuProps['shown'], actions: MessageActions): OtherModel {
  const optionsWith = useRegenerateOptionsWith(shown.message)
  const unseenNoteOf = useUnseenNote(shown.parentId)
  return {
    selectedId: shown.message.metadata.modelId,
    noteOf: (model) =>
      [unseenNoteOf(model), optionsWith(model.id).isSearchDropped && t('answersWithoutSearch')].filter(Boolean).join(' · ') || undefined,
    onChoose: (modelId) => actions.regenerate(shown, optionsWith(modelId)),
  }
}

/** Undefined if the label is sufficient. */
const descriptionFor = (label: string, what: string, price: string | undefined): string | undefined =>
  what === label && price === undefined ? undefined : [what, price].filter(Boolean).join(' · ')

/* The less frequent actions on a message. */

type MessageMenuProps = {
  readonly shown: Exclude<ShownMessage, { kind: 'live' }>
  readonly actions: MessageActions
  readonly busyReason: string | undefined
  readonly align: 'start' | 'end'
  /** Absent for messages without details. */
  readonly onDetails?: () => void
}

function MessageMenu({ shown, actions, busyReason, align, onDetails }: MessageMenuProps) {
  const { fork } = actions
  const [isCopied, showCopied] = useCopied()
  const copyThread = async () => {
    if (await actions.copyThread(shown)) showCopied()
  }
  return (
    <>
      <Menu
        label={t('message')}
        placement={`bottom-${align}`}
        trigger={(props) => (
          <IconButton {...props} size="sm" label={t('moreForMessage')} description={t('moreDescription')}>
            {isCopied ? <Check /> : <Ellipsis />}
          </IconButton>
        )}
      >
        <MenuItem icon={<Quote />} onSelect={() => actions.quote(shown)}>
          {libText('quote')}
        </MenuItem>
        {fork && (
          <MenuItem icon={<GitFork />} onSelect={() => fork(shown)}>
            {t('fork')}
          </MenuItem>
        )}
        <MenuItem icon={<FileText />} onSelect={() => void copyThread()}>
          {t('copyThreadHere')}
        </MenuItem>
        {onDetails && (
          <MenuItem icon={<Coins />} onSelect={onDetails}>
            {t('details')}
          </MenuItem>
        )}
        <MenuItem icon={<Trash2 />} danger disabledReason={busyReason} onSelect={() => actions.remove(shown)}>
          {isWholeThread(shown) ? t('deleteThread') : shown.hasMoreBelow ? t('deleteFromHere') : libText('delete')}
        </MenuItem>
      </Menu>
      <span role="status" className="sr-only">
        {isCopied && t('copied')}
      </span>
    </>
  )
}

/* Shows the version of a message and switches to its neighbours, with the whole branch below. */

type VersionSwitchProps = {
  readonly versions: Versions
  readonly busyReason: string | undefined
  readonly onShow: (messageId: string) => void
}

type Direction = 'previous' | 'next'

/** The last requested version. It is another message with another switch, and the focus moves there, once. */
let awaited: { readonly messageId: string; readonly direction: Direction } | null = null

function VersionSwitch({ versions: { ids, at }, busyReason, onShow }: VersionSwitchProps) {
  const groupRef = useRef<HTMLSpanElement>(null)
  const shown = ids[at]
  useEffect(() => {
    if (!awaited || awaited.messageId !== shown) return
    const { direction } = awaited
    awaited = null
    if (document.activeElement !== document.body) return
    groupRef.current?.querySelector<HTMLElement>(`[data-direction="${direction}"]`)?.focus({ preventScroll: true })
  }, [shown])
  if (ids.length < 2) return null
  const [previous, next] = [ids[at - 1], ids[at + 1]]
  const go = (messageId: string | undefined, direction: Direction) => {
    if (messageId === undefined) return
    awaited = { messageId, direction }
    onShow(messageId)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <span ref={groupRef} role="group" aria-label={t('versions')} data-kept="" className="flex items-center">
      <IconButton
        size="sm"
        data-direction="previous"
        label={t('previousVersion')}
        disabledReason={busyReason ?? (previous === undefined ? t('firstVersion') : undefined)}
        onClick={() => go(previous, 'previous')}
      >
        <ChevronLeft />
      </IconButton>
      <span className="px-0.5 text-xs whitespace-nowrap text-muted-foreground tabular-nums">
        {t('versionOf', { at: at + 1, count: ids.length })}
      </span>
      <IconButton
        size="sm"
        data-direction="next"
        label={t('nextVersion')}
        disabledReason={busyReason ?? (next === undefined ? t('newestVersion') : undefined)}
        onClick={() => go(next, 'next')}
      >
        <ChevronRight />
      </IconButton>
    </span>
  )
}
