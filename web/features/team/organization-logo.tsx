import { cx } from '../../lib/cx.ts'

type OrganizationLogoProps = { readonly name: string; readonly logo: string | null | undefined; readonly className?: string }

/** The logo, or the first letter of the name. Hidden from screen readers, because the name follows. */
export function OrganizationLogo({ name, logo, className }: OrganizationLogoProps) {
  const shape = cx('size-9 shrink-0 rounded-lg', className)
  if (logo) return <img src={logo} alt="" className={cx(shape, 'object-cover')} />
  return (
    <span aria-hidden="true" className={cx(shape, 'flex items-center justify-center bg-accent/14 font-semibold text-accent')}>
      {[...name.trim()][0]?.toUpperCase() ?? '·'}
    </span>
  )
}
