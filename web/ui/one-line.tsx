/** One line of text, truncated if it does not fit. A parenthesised suffix stays visible, because it distinguishes similar names. */
import { cx } from '../lib/cx.ts'

const withRemark = /^(.*\S)(\s\([^()]{1,12}\))$/u

export function OneLine({ text, className }: { readonly text: string; readonly className?: string }) {
  const [, beginning, remark] = withRemark.exec(text) ?? []
  if (!beginning)
    return (
      <span dir="auto" className={cx('block truncate', className)}>
        {text}
      </span>
    )
  return (
    <span dir="auto" className={cx('flex min-w-0', className)}>
      <span className="truncate">{beginning}</span>
      <span className="shrink-0 whitespace-pre">{remark}</span>
    </span>
  )
}
