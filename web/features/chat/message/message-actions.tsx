/** The toolbar below a message: always visible on touch, otherwise on hover and focus. A hidden toolbar keeps its space, which separates two messages. */
import { Bookmark, Pencil, RefreshCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { creditsText } from '../../../lib/format.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { Toolbar } from '../../../ui/toolbar.tsx'
import { ModelMenu, type ModelMenuProps } from '../models/model-menu.tsx'
import { AnswerDetails } from './answer-details.tsx'
import { copiedText } from './copied-text.ts'
import { copyButtonId } from './copy-messages.ts'
import { MessageMenu } from './message-menu.tsx'
import { useRegenerateOptions, useRegenerateOptionsWith, useUnseenNote } from './regenerate-context.ts'
import type { ShownMessage } from './shown-messages.ts'
import { t } from './texts/en.ts'
import type { MessageActions } from './use-message-actions.ts'
import { VersionSwitch } from './version-switch.tsx'

type RowProps = { readonly children: ReactNode; readonly isPinned: boolean; readonly className: string }

function Row({ children, isPinned, className }: RowProps) {
  const hidden =
    'opacity-0 group-hover/message:opacity-100 group-focus-within/message:opacity-100 has-aria-expanded:opacity-100 touch:opacity-100'
  return (
    <Toolbar
      label={t('messageActions')}
      className={cx(
        'flex min-h-7 flex-wrap items-center gap-x-0.5 transition-opacity touch:min-h-11 touch:gap-x-2',
        !isPinned && hidden,
        className,
      )}
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
    <Row isPinned={shown.versions.ids.length > 1 || isUnanswered || shown.isBookmarked} className="justify-end">
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
    <Row isPinned={isNewest || shown.versions.ids.length > 1 || shown.isBookmarked} className="mt-1.5 -ml-1.5">
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
      <span className="ml-1.5 flex min-w-0 items-center gap-1.5 text-xs text-muted-foreground max-sm:w-full">
        <MakerIcon maker={metadata.modelIcon} className="size-3.5" />
        <span className="truncate">{metadata.modelName}</span>
        <span aria-hidden="true">{'·'}</span>
        <span className="whitespace-nowrap">{creditsText(metadata.credits)}</span>
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
