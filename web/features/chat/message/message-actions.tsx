/**
 * The actions in the gap below a message. The toolbar of the newest answer is always visible, the others on hover and focus. On touch
 * devices, an answer shows three buttons, or two where it offers Retry, and a long press on a question opens its menu (`long-press.ts`).
 */
import { Bookmark, Check, Ellipsis, Pencil, RefreshCw } from 'lucide-react'
import { type ReactNode, type RefObject, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { lazyPart } from '../../../lib/lazy-part.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { touchDevice, useMedia } from '../../../lib/viewport.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopiedStatus, CopyButton, useCopied } from '../../../ui/copy-button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { SectionErrorBoundary } from '../../../ui/section-error-boundary.tsx'
import { Toolbar } from '../../../ui/toolbar.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { ModelMenu, type ModelMenuProps } from '../models/model-menu.tsx'
import { AnswerDetails } from './answer-details.tsx'
import { copiedText, copyButtonId } from './copy-messages.ts'
import { useRegenerateOptions, useRegenerateOptionsWith, useUnseenNote } from './regenerate-options.ts'
import type { ShownMessage } from './shown-messages.ts'
import { t } from './texts/en.ts'
import type { MessageActions } from './use-message-actions.ts'
import { useVersionFocus, VersionSwitch } from './version-switch.tsx'

const MessageMenuItems = lazyPart(() => import('./message-menu-items.tsx').then((module) => module.MessageMenuItems))
const OtherModelPanel = lazyPart(() => import('./message-menu-items.tsx').then((module) => module.OtherModelPanel))

type RowProps = { readonly children: ReactNode; readonly isAlwaysShown: boolean; readonly className: string }

/** The place of the toolbar of an answer, in the gap that `Conversation` leaves below each message. */
export const belowAnswer =
  'absolute inset-x-0 top-[calc(100%-var(--gap)+0.375rem)] h-7 touch:top-[calc(100%-var(--gap)+0.125rem)] touch:h-11'

/**
 * The version and a bookmark stay visible: they are states. The toolbar of a question is higher than its gap, so it lies above the answer
 * only while it is shown.
 */
const shownOnDemand =
  '*:not-data-kept:opacity-0 group-hover/message:z-1 group-hover/message:*:opacity-100! group-focus-within/message:z-1 group-focus-within/message:*:opacity-100! has-aria-expanded:z-1 has-aria-expanded:*:opacity-100! touch:*:opacity-100!'

function Row({ children, isAlwaysShown, className }: RowProps) {
  return (
    <Toolbar
      label={t('messageActions')}
      className={cx('flex items-center gap-x-0.5 touch:gap-x-0', isAlwaysShown ? 'z-1' : shownOnDemand, className)}
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
  const isTouch = useMedia(touchDevice)
  const isUnanswered = isLast && busyReason === undefined
  return (
    <Row isAlwaysShown={isUnanswered} className="relative">
      {isTouch ? <States shown={shown} /> : <VersionSwitch versions={shown.versions} busyReason={busyReason} onShow={actions.show} />}
      {isUnanswered && (
        <Button
          size="sm"
          variant="ghost"
          {...tooltip(actions.price, { describes: true })}
          data-kept=""
          onClick={() => actions.answer(shown)}
        >
          <RefreshCw aria-hidden="true" className="size-3.5" />
          {t('answerAction')}
        </Button>
      )}
      {!isTouch && (
        <>
          <CopyButton label={t('copy')} text={() => copiedText(shown.message, publicUrls().apiUrl)} />
          <IconButton size="sm" label={t('edit')} disabledReason={busyReason} onClick={() => actions.edit(shown)}>
            <Pencil />
          </IconButton>
          <BookmarkToggle shown={shown} actions={actions} />
        </>
      )}
      <MessageMenu
        shown={shown}
        actions={actions}
        busyReason={busyReason}
        align="end"
        isTouch={isTouch}
        className={isTouch ? 'not-focus-visible:sr-only' : undefined}
      />
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
  const isTouch = useMedia(touchDevice)
  const [isDetailed, setDetailed] = useState(false)
  const [otherModelFrom, setOtherModelFrom] = useState<RefObject<HTMLButtonElement | null> | null>(null)
  const options = useRegenerateOptions(shown.message)
  // Planning a research again is free.
  const isPlanned = metadata.mode === 'research'
  return (
    // On touch devices, the buttons have no space between them: each is as large as its touch area.
    <Row
      isAlwaysShown={isNewest}
      className={`${belowAnswer} -left-1.5 touch:-left-3.5 touch:[&_button]:size-11 touch:[&_button_svg]:size-4`}
    >
      {!isTouch && <VersionSwitch versions={shown.versions} busyReason={busyReason} onShow={actions.show} />}
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
          {!isTouch && <OtherModelMenu label={t('regenerateOtherModel')} shown={shown} actions={actions} busyReason={busyReason} />}
        </span>
      )}
      {!isTouch && <BookmarkToggle shown={shown} actions={actions} />}
      <MessageMenu
        shown={shown}
        actions={actions}
        busyReason={busyReason}
        align="start"
        isTouch={isTouch}
        onDetails={() => setDetailed(true)}
        onOtherModel={isTouch && !isRetryOffered ? setOtherModelFrom : undefined}
      />
      <span className="ml-auto flex min-w-0 items-center gap-1.5 pl-2 text-xs text-muted-foreground">
        {isTouch && <States shown={shown} />}
        <MakerIcon maker={metadata.modelIcon} className="size-3.5" />
        <span className="truncate">{metadata.modelName}</span>
        {metadata.imported && <Badge tooltip={t('importedDescription')}>{t('imported')}</Badge>}
        {metadata.demo && <Badge tooltip={t('demoDescription')}>{t('demo')}</Badge>}
      </span>
      {isDetailed && <AnswerDetails threadId={threadId} message={shown.message} onClose={() => setDetailed(false)} />}
      {otherModelFrom && (
        <SectionErrorBoundary part="menu" onClose={() => setOtherModelFrom(null)}>
          <OtherModelPanel shown={shown} actions={actions} triggerRef={otherModelFrom} onClose={() => setOtherModelFrom(null)} />
        </SectionErrorBoundary>
      )}
    </Row>
  )
}

/** On touch devices, where the menu changes them: the version of a message, and its bookmark. */
function States({ shown: { versions, isBookmarked } }: Pick<MessageMenuProps, 'shown'>) {
  const { ids, at } = versions
  return (
    <span className="flex items-center gap-1.5 text-xs whitespace-nowrap text-muted-foreground empty:hidden" data-kept="">
      {ids.length > 1 && (
        <>
          <span aria-hidden="true">{`${at + 1}/${ids.length}`}</span>
          <span className="sr-only">{t('versionOf', { at: at + 1, count: ids.length })}</span>
        </>
      )}
      {isBookmarked && <Bookmark aria-hidden="true" fill="currentColor" className="size-3 text-accent" />}
    </span>
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

export type OtherModelMenuProps = Pick<AnswerActionsProps, 'shown' | 'actions' | 'busyReason'> &
  Pick<ModelMenuProps, 'label' | 'isLabelShown'>

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

/* The less frequent actions on a message, on touch devices most of them. */

type MessageMenuProps = {
  readonly shown: Exclude<ShownMessage, { kind: 'live' }>
  readonly actions: MessageActions
  readonly busyReason: string | undefined
  readonly align: 'start' | 'end'
  readonly isTouch: boolean
  readonly className?: string | undefined
  /** Absent for messages without details. */
  readonly onDetails?: () => void
  /** Selects another model for the answer, in a panel that gives the focus back to this button. */
  readonly onOtherModel?: ((trigger: RefObject<HTMLButtonElement | null>) => void) | undefined
}

function MessageMenu({ shown, actions, busyReason, align, isTouch, className, onDetails, onOtherModel }: MessageMenuProps) {
  const [isCopied, showCopy] = useCopied()
  const button = () => document.querySelector<HTMLButtonElement>(`#${menuButtonId(shown.id)}`)
  useVersionFocus(isTouch ? shown.id : undefined, button)
  return (
    <>
      <Menu
        label={t('message')}
        placement={`bottom-${align}`}
        trigger={(props) => (
          <IconButton
            {...props}
            id={menuButtonId(shown.id)}
            size="sm"
            label={t('moreForMessage')}
            description={t('moreDescription')}
            onPointerEnter={MessageMenuItems.preload}
            onFocus={MessageMenuItems.preload}
            className={className}
          >
            {isCopied ? <Check /> : <Ellipsis />}
          </IconButton>
        )}
      >
        <MessageMenuItems
          shown={shown}
          actions={actions}
          busyReason={busyReason}
          isTouch={isTouch}
          onCopy={showCopy}
          onDetails={onDetails}
          onOtherModel={onOtherModel && (() => onOtherModel({ current: button() }))}
        />
      </Menu>
      <CopiedStatus isCopied={isCopied} />
    </>
  )
}

const menuButtonId = (messageId: string): string => `menu-${messageId}`
