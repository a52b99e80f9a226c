// The search and the colours of the site. The index is a script, for a page that was opened as a
// file may load no data; it is fetched from the same folder when somebody searches.
'use strict';
(() => {
	const top = document.currentScript.dataset.top;
	const field = document.getElementById('search'), found = document.getElementById('found');
	const menu = document.getElementById('menu'), theme = document.getElementById('theme');
	const dark = matchMedia('(prefers-color-scheme: dark)');
	let index = null, wanted = 0;

	// ---- colours: those of the system, until somebody chooses
	const stored = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
	const isDark = () => (document.documentElement.dataset.theme || (dark.matches ? 'dark' : 'light')) === 'dark';
	const show = name => {
		if (name) document.documentElement.dataset.theme = name;
		theme.textContent = isDark() ? 'Light' : 'Dark';
	};
	show(stored());
	theme.hidden = false;
	theme.addEventListener('click', () => {
		const name = isDark() ? 'light' : 'dark';
		try { localStorage.setItem('theme', name); } catch { /* it holds for this page */ }
		show(name);
	});
	dark.addEventListener('change', () => show(null));

	// ---- the menu is open where there is room
	const wide = matchMedia('(min-width: 48.01rem)');
	const fit = () => { menu.open = wide.matches; };
	wide.addEventListener('change', fit);
	fit();
	const here = menu.querySelector('[aria-current]');
	if (here && wide.matches) menu.scrollTop = here.offsetTop - menu.clientHeight / 2;

	// ---- the search
	const load = () => new Promise(done => {
		if (index) return done();
		window.vetroIndex = rows => { index = rows.map(r => ({ ...r, l: r.x.toLowerCase() })); };
		const script = document.createElement('script');
		script.src = top + 'search.js';
		script.onload = script.onerror = () => done();
		document.head.append(script);
	});
	// Every word has to be there. A title counts more than a text, a whole word more than a part.
	const weigh = (row, words) => {
		let sum = 0;
		for (const w of words) {
			const title = row.t.toLowerCase(), at = title.indexOf(w), page = row.n.toLowerCase();
			if (title === w) sum += 100;
			else if (at >= 0) sum += at === 0 || !/\w/.test(title[at - 1]) ? 40 : 15;
			else if (page.includes(w)) sum += 8;
			else if (row.l.includes(w)) sum += 4;
			else return 0;
		}
		return sum + 2 / (1 + row.x.length / 400);
	};
	const marked = (text, words) => {
		const lower = text.toLowerCase(), at = Math.max(0, Math.min(...words.map(w => lower.indexOf(w)).filter(i => i >= 0), 1e9));
		const from = at > 1e8 || at < 60 ? 0 : at - 50;
		const part = text.slice(from, from + 160), box = document.createElement('small');
		let rest = (from ? '…' : '') + part + (from + 160 < text.length ? '…' : '');
		while (rest) {
			const low = rest.toLowerCase();
			let first = -1, word = '';
			for (const w of words) {
				const i = low.indexOf(w);
				if (i >= 0 && (first < 0 || i < first)) { first = i; word = w; }
			}
			if (first < 0) { box.append(rest); break; }
			const mark = document.createElement('mark');
			mark.textContent = rest.slice(first, first + word.length);
			box.append(rest.slice(0, first), mark);
			rest = rest.slice(first + word.length);
		}
		return box;
	};
	const search = async () => {
		const mine = ++wanted, words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
		found.hidden = !words.length;
		if (!words.length) return;
		await load();
		if (mine !== wanted) return;
		found.replaceChildren();
		if (!index) {
			found.innerHTML = '<p>search.js is not beside this page</p>';
			return;
		}
		const rows = index.map(row => [weigh(row, words), row]).filter(r => r[0] > 0)
			.sort((a, b) => b[0] - a[0]).slice(0, 20);
		for (const [, row] of rows) {
			const link = document.createElement('a');
			link.href = top + row.p;
			link.append(row.t === row.n ? row.t : `${row.t} — ${row.n}`, marked(row.x, words));
			found.append(link);
		}
		if (!rows.length) {
			const none = document.createElement('p');
			none.textContent = 'Nothing is found.';
			found.append(none);
		} else found.firstChild.classList.add('on');
	};
	field.addEventListener('input', search);
	field.addEventListener('focus', search);
	const step = by => {
		const all = [...found.querySelectorAll('a')], now = all.findIndex(a => a.classList.contains('on'));
		if (!all.length) return;
		const next = all[(now + by + all.length) % all.length];
		if (now >= 0) all[now].classList.remove('on');
		next.classList.add('on');
		next.scrollIntoView({ block: 'nearest' });
	};
	field.addEventListener('keydown', e => {
		if (e.key === 'ArrowDown') step(1);
		else if (e.key === 'ArrowUp') step(-1);
		else if (e.key === 'Enter') found.querySelector('a.on')?.click();
		else if (e.key === 'Escape') { found.hidden = true; field.blur(); return; }
		else return;
		e.preventDefault();
	});
	found.addEventListener('click', () => { found.hidden = true; });
	document.addEventListener('click', e => { if (!e.target.closest('.search')) found.hidden = true; });
	document.addEventListener('keydown', e => {
		if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input, textarea')) return;
		e.preventDefault();
		field.focus();
	});
})();
