/** A button on each block of code copies it. The chosen language is that of all tabs, on every page. */
const choice = 'docs-language'

for (const block of navigator.clipboard ? document.querySelectorAll('pre') : []) {
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'copy', textContent: 'Copy' })
  button.addEventListener('click', () => {
    const copied = navigator.clipboard.writeText(block.querySelector('code').textContent)
    void copied.then(() => (button.textContent = 'Copied'))
  })
  button.addEventListener('blur', () => (button.textContent = 'Copy'))
  block.prepend(button)
}

function choose(language) {
  for (const one of document.querySelectorAll('.tabs input')) {
    if (one.value === language) one.checked = true
  }
}

document.addEventListener('change', ({ target }) => {
  if (!target.closest('.tabs')) return
  localStorage.setItem(choice, target.value)
  choose(target.value)
})
choose(localStorage.getItem(choice))
