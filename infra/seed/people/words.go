package people

// place is a province and its cities; large cities are repeated.
type place struct {
	province string
	cities   []string
}

// places repeats the populous provinces.
var places = []place{
	{"广东", []string{"深圳", "广州", "深圳", "广州", "东莞", "佛山", "珠海"}},
	{"广东", []string{"深圳", "广州", "惠州", "汕头"}},
	{"北京", []string{"北京"}},
	{"上海", []string{"上海"}},
	{"浙江", []string{"杭州", "杭州", "宁波", "温州"}},
	{"江苏", []string{"南京", "苏州", "无锡"}},
	{"四川", []string{"成都", "成都", "绵阳"}},
	{"湖北", []string{"武汉", "武汉", "宜昌"}},
	{"陕西", []string{"西安", "咸阳"}},
	{"山东", []string{"济南", "青岛", "烟台"}},
	{"河南", []string{"郑州", "洛阳"}},
	{"福建", []string{"厦门", "福州", "泉州"}},
	{"湖南", []string{"长沙", "株洲"}},
	{"重庆", []string{"重庆"}},
	{"云南", []string{"昆明", "大理"}},
}

var surnames = []string{
	"王", "李", "张", "刘", "陈", "杨", "赵", "黄", "周", "吴", "徐", "孙", "胡", "朱", "高", "林", "何", "郭", "马", "罗",
	"梁", "宋", "郑", "谢", "韩", "唐", "冯", "于", "董", "萧", "欧阳", "司马",
}

// givenNames has the men's names first, then as many women's names.
var givenNames = [...]string{
	"伟", "强", "磊", "军", "洋", "勇", "杰", "涛", "超", "明", "浩然", "子轩", "宇航", "俊杰", "志强", "建国", "天佑", "一鸣", "Leo", "Kevin",
	"芳", "娜", "敏", "静", "丽", "艳", "娟", "霞", "秀英", "婷婷", "雨桐", "梓涵", "欣怡", "诗琪", "思远", "晓雪", "若曦", "佳琪", "Amy", "Coco",
}

var words = []string{"快乐的", "安静的", "爱吃鱼的", "会飞的", "不睡觉的", "远方的", "Sunny ", "Lucky ", "迷路的", "早起的"}

var creatures = []string{"小猫", "鲸鱼", "熊猫", "兔子", "狐狸", "企鹅", "Tiger", "松鼠", "海豚", "猫头鹰"}

var interests = []string{"跑步", "摄影", "咖啡", "旅行", "电影", "读书", "编程", "烹饪", "音乐", "足球", "篮球", "绘画", "hiking", "coffee"}

var verbs = []string{"喜欢", "热爱", "每天", "正在学习", "和朋友一起", "周末"}
