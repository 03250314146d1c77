/** The line above the first message that a long thread still sends to the chosen model. */
import type { ContextStart } from './context-start.ts'

type ContextMarkProps = { readonly start: ContextStart; readonly modelName: string }

export function ContextMark({ start, modelName }: ContextMarkProps) {
  return (
    <p
      role="note"
      className="my-5 flex items-center gap-3 text-balance text-center text-muted-foreground text-xs before:h-px before:flex-1 before:bg-foreground/12 after:h-px after:flex-1 after:bg-foreground/12"
    >
      <span className="max-w-[75%]">
        This thread is long. {modelName} no longer receives the messages above{start.keepsFirst ? ', except the first one' : ''}.
      </span>
    </p>
  )
}
