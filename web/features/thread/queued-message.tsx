/** A message that waits: outlined, because it has not been said yet. It can still be changed, or taken back. */
import { Pencil, X } from 'lucide-react'
import { type KeyboardEvent, use, useState } from 'react'
import type { AttachedFile } from '../../../worker/contract/files.ts'
import { maxMessageChars } from '../../../worker/contract/limits.ts'
import { cx } from '../../lib/cx.ts'
import { isSend } from '../../lib/shortcuts.ts'
import { enterSends } from '../../stores/enter-key.ts'
import { useStore } from '../../stores/store.ts'
import type { ModelRow } from '../../sync/rows.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { MakerIcon } from '../../ui/maker-icon.tsx'
import { MessageFiles } from './message-files.tsx'
import { ModelMenuContext } from './model-menu-context.ts'
import { WaitsForConnection } from './waits-for-connection.tsx'

type QueuedMessageProps = {
  readonly id: string
  readonly text: string
  readonly files: readonly AttachedFile[]
  readonly modelId: string
  /** Undefined while the catalogue is not here, and for a model that is not in it any more. */
  readonly model: ModelRow | undefined
  readonly isHeld: boolean
  readonly onEdit: (text: string) => void
  readonly onChooseModel: (modelId: string) => void
  readonly onRemove: () => void
}

export function QueuedMessage({ id, text, files, modelId, model, isHeld, onEdit, onChooseModel, onRemove }: QueuedMessageProps) {
  const ModelMenu = use(ModelMenuContext)
  const [isEditing, setEditing] = useState(false)
  const [wasEdited, setWasEdited] = useState(false)
  return (
    <article aria-label="Queued message" className="flex w-full flex-col items-end">
      {files.length > 0 && <MessageFiles files={files} isSmall />}
      {(text !== '' || isEditing) && (
        <div
          className={cx(
            'min-w-0 rounded-2xl border border-dashed border-control/60 px-4 py-2.5',
            isEditing ? 'w-[85%]' : 'max-w-[85%]',
            isHeld && 'border-warning/60',
          )}
        >
          {isEditing ? (
            <Editor
              text={text}
              mayBeEmpty={files.length > 0}
              onDone={(next) => {
                setEditing(false)
                setWasEdited(true)
                if (next !== null && next !== text) onEdit(next)
              }}
            />
          ) : (
            <p
              dir="auto"
              className="line-clamp-6 [unicode-bidi:plaintext] text-[0.9375rem] leading-6 wrap-anywhere whitespace-pre-wrap text-muted-foreground"
            >
              {text}
            </p>
          )}
        </div>
      )}
      {!isEditing && (
        <div className="mt-1 flex min-h-8 flex-wrap items-center justify-end gap-x-0.5 touch:min-h-11 touch:gap-x-2">
          <span className="mr-1.5 flex empty:hidden">
            <WaitsForConnection messageId={id} />
          </span>
          {model && (
            <span className="mr-1 flex min-w-0 items-center gap-1.5 text-xs text-muted-foreground">
              <MakerIcon maker={model.icon} className="size-3.5" />
              <span className="truncate">{model.name}</span>
            </span>
          )}
          {ModelMenu && (
            <ModelMenu label="Send with another model" selectedId={modelId} disabledReason={undefined} onChoose={onChooseModel} />
          )}
          <IconButton size="sm" label="Edit queued message" autoFocus={wasEdited} onClick={() => setEditing(true)}>
            <Pencil />
          </IconButton>
          <IconButton size="sm" label="Remove from queue" onClick={onRemove}>
            <X />
          </IconButton>
        </div>
      )}
    </article>
  )
}

/** Answers with the new text, or with null when it stays as it was. */
type EditorProps = { readonly text: string; readonly mayBeEmpty: boolean; readonly onDone: (text: string | null) => void }

function Editor({ text, mayBeEmpty, onDone }: EditorProps) {
  const [value, setValue] = useState(text)
  const sends = useStore(enterSends)
  const problem =
    value.trim() === '' && !mayBeEmpty ? 'Message cannot be empty' : value.length > maxMessageChars ? 'This message is too long' : undefined
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onDone(null)
    else if (isSend(event, sends) && !problem) onDone(value)
    else return
    event.preventDefault()
  }
  return (
    <div className="flex flex-col gap-2">
      <textarea
        // biome-ignore lint/a11y/noAutofocus: it appears because the person asked to edit
        autoFocus
        aria-label="Queued message text"
        dir="auto"
        rows={2}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={onKeyDown}
        className="block field-sizing-content max-h-60 w-full resize-none bg-transparent text-base leading-6 outline-none"
      />
      <div className="flex justify-end gap-1.5">
        <Button size="sm" variant="ghost" onClick={() => onDone(null)}>
          Cancel
        </Button>
        <Button size="sm" variant="primary" disabledReason={problem} onClick={() => onDone(value)}>
          Save
        </Button>
      </div>
    </div>
  )
}
